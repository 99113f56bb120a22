import { expect, test } from 'vitest';
import { readToolChoice } from './read-tool-choice.ts';
import { readTools } from './tool-table.ts';

const custom = { type: 'object', properties: { input: { type: 'string' } } };
const read = (tools: readonly unknown[], unheld?: string) =>
  readTools(tools, async () => ({ parameters: custom, unheld }));
const func = (name: string) => ({
  type: 'function',
  name,
  description: `The ${name}.`,
  parameters: { type: 'object' },
});

const tools = [
  func('look'),
  { type: 'namespace', name: 'files', tools: [func('open'), func('look')] },
  { type: 'custom', name: 'patch', format: { type: 'grammar' } },
  { type: 'web_search' },
];

test('namespaces are expanded; a name that two tools have gets its namespace', async () => {
  const table = await read(tools, 'too hard');
  expect(table.tools.map(({ name }) => name)).toEqual(['look', 'open', 'files__look', 'patch']);
  expect(table.tools[0]).toEqual({ name: 'look', description: 'The look.', parameters: { type: 'object' } });
  expect(table.tools[3]).toEqual({ name: 'patch', description: '', parameters: custom });
  expect(table.ignoredTypes).toEqual(['web_search']);
  expect(table.unheld).toEqual([{ name: 'patch', reason: 'too hard' }]);
});

test('names are converted back', async () => {
  const table = await read(tools);
  expect(['look', 'open', 'files__look', 'patch', 'other'].map(table.find)).toEqual([
    { type: 'function', name: 'look' },
    { type: 'function', name: 'open', namespace: 'files' },
    { type: 'function', name: 'look', namespace: 'files' },
    { type: 'custom', name: 'patch' },
    { type: 'function', name: 'other' },
  ]);
  expect(table.offeredName('look', 'files')).toBe('files__look');
});

test.each([
  [undefined, undefined],
  ['none', 'none'],
  ['required', 'required'],
  [{ type: 'function', name: 'look', namespace: 'files' }, { name: 'files__look' }],
  [{ type: 'custom', name: 'patch' }, { name: 'patch' }],
  [{ type: 'web_search' }, 'auto'],
])('the choice %j', async (choice, expected) => {
  const { tools: offered, toolChoice } = readToolChoice(choice, await read(tools));
  expect([offered.length, toolChoice]).toEqual([4, expected]);
});

test('allowed tools are the only ones', async () => {
  const allowed = [{ type: 'function', name: 'open' }, { type: 'custom', name: 'patch' }, { type: 'web_search' }];
  const choice = { type: 'allowed_tools', mode: 'required', tools: allowed };
  const { tools: offered, toolChoice } = readToolChoice(choice, await read(tools));
  expect([offered.map(({ name }) => name), toolChoice]).toEqual([['open', 'patch'], 'required']);
});

test('wrong tools and choices are refused', async () => {
  await expect(read([1])).rejects.toThrow('tools.0: expected an object');
  await expect(read([{ type: 'function' }])).rejects.toThrow('tools.0.name: expected a string');
  await expect(read([{ type: 'namespace', name: 'a' }])).rejects.toThrow('tools.0.tools: expected an array');
  const nested = { type: 'namespace', name: 'a', tools: [{ type: 'namespace', name: 'b', tools: [] }] };
  await expect(read([nested])).rejects.toThrow('tools.0.tools.0: expected a function');
  const table = await read(tools);
  expect(() => readToolChoice('maybe', table)).toThrow('tool_choice: expected an object');
  expect(() => readToolChoice({ type: 'allowed_tools' }, table)).toThrow('tool_choice.tools: expected an array');
  expect(() => readToolChoice({ type: 'allowed_tools', tools: [], mode: 'x' }, table)).toThrow('tool_choice.mode');
});
