import { expect, test } from 'vitest';
import { summaryRequest, toSummaryContent } from './compaction.ts';
import { readInputItems } from './input-items.ts';
import { itemsToMessages } from './to-messages.ts';
import { readTools } from './tool-table.ts';

const noTools = await readTools([], async () => ({ parameters: {} }));
let ids = 0;
const newId = (prefix: string): string => `${prefix}_${++ids}`;
const messagesOf = (input: unknown, instructions?: string) =>
  itemsToMessages(readInputItems(input, newId), { instructions, tools: noTools });
const plain = (role: string, content: unknown) => ({ role, content, encodedImages: [] });

test('a text is a message of the user', () => {
  expect(messagesOf('Hi.')).toEqual([plain('user', 'Hi.')]);
});

test('instructions and leading system messages are one message, later ones stay in place', () => {
  const input = [
    { role: 'developer', content: 'B.' },
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'C.' }] },
    { role: 'user', content: 'Hi.' },
    { role: 'developer', content: 'D.' },
    { role: 'developer', content: 'E.' },
  ];
  expect(messagesOf(input, 'A.')).toEqual([
    plain('system', 'A.\n\nB.\n\nC.'),
    plain('user', 'Hi.'),
    plain('system', 'D.'),
    plain('system', 'E.'),
  ]);
});

test('reasoning, text and calls in a row are one turn; a result ends it', () => {
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{"at":1}' });
  const input = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], content: [] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
    call('c1'),
    { ...call('c2'), arguments: '' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'seen' }] },
    { type: 'function_call_output', call_id: 'c9', output: 'lost' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
  ];
  expect(messagesOf(input)).toEqual([
    {
      ...plain('assistant', 'I look.'),
      thinking: 'Hm.',
      toolCalls: [
        { id: 'c1', name: 'look', arguments: { at: 1 } },
        { id: 'c2', name: 'look', arguments: {} },
      ],
    },
    { ...plain('tool', 'seen'), toolCallId: 'c1', toolName: 'look' },
    { ...plain('tool', 'lost'), toolCallId: 'c9' },
    plain('assistant', 'No.'),
  ]);
});

test('full reasoning comes before its summary, encrypted reasoning is left out', () => {
  const reasoning = (fields: object) => [{ type: 'reasoning', summary: [], ...fields }];
  const content = [{ type: 'reasoning_text', text: 'All.' }];
  const summary = [{ type: 'summary_text', text: 'Short.' }];
  expect(messagesOf(reasoning({ content, summary }))).toMatchObject([{ thinking: 'All.' }]);
  expect(messagesOf(reasoning({ encrypted_content: 'abc' }))).toEqual([]);
});

test('custom tool calls have their text as an argument', () => {
  const input = [
    { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '+a' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
  ];
  expect(messagesOf(input)).toMatchObject([
    { toolCalls: [{ id: 'c1', name: 'patch', arguments: { input: '+a' } }] },
    { role: 'tool', content: 'done', toolName: 'patch' },
  ]);
});

test('images in data URLs', () => {
  const content = [
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
    { type: 'input_text', text: 'Ünits' },
    { type: 'input_hologram', data: 1 },
  ];
  expect(messagesOf([{ role: 'user', content }])).toEqual([
    { role: 'user', content: 'Ünits', encodedImages: ['AAAA'] },
  ]);
});

test('unknown items are ignored', () => {
  expect(
    messagesOf([{ type: 'web_search_call', id: 'ws_1' }, { type: 'compaction' }, { role: 'user', content: 'Hi.' }]),
  ).toEqual([plain('user', 'Hi.')]);
});

test.each([
  [1, 'input: expected a string or an array of items'],
  [[1], 'input.0: expected an object'],
  [[{}], 'input.0.type: expected a string'],
  [[{ role: 'king', content: '' }], 'input.0.role: expected'],
  [[{ role: 'user', content: 1 }], 'input.0.content: expected a string or an array of parts'],
  [[{ role: 'user', content: [{ text: 'a' }] }], 'input.0.content.0.type: expected a string'],
  [[{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }], 'only images in data URLs'],
  [[{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a/b.png' }] }], 'not currently supported'],
  [[{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a/b' }] }], 'this server reads no documents'],
  [[{ type: 'function_call', name: 'a', arguments: '{}' }], 'input.0.call_id: expected a string'],
  [[{ type: 'function_call', call_id: 'a', name: 'a', arguments: '[]' }], 'input.0.arguments: expected the JSON text'],
])('%j is refused', (input, message) => {
  expect(() => messagesOf(input)).toThrow(message);
});

test('in a conversation that is stored here, a result without its call is refused', () => {
  const result = { type: 'function_call_output', call_id: 'c9', output: 'lost' };
  const call = { type: 'local_shell_call', call_id: 'c9' };
  const read = (input: unknown) =>
    itemsToMessages(readInputItems(input, newId), { instructions: undefined, tools: noTools, isContinued: true });
  expect(() => read([result, call])).toThrow('input.0.call_id: no call in the conversation has this id');
  expect(read([call, result])).toMatchObject([{ role: 'tool', content: 'lost' }]);
});

test('a summary is a message of the user, together with the next one', () => {
  const compaction = { type: 'compaction', encrypted_content: toSummaryContent('Ada lives in Oslo.') };
  const summary = 'Summary of the conversation so far:\n\nAda lives in Oslo.';
  const question = { role: 'user', content: 'Where?' };
  expect(messagesOf([compaction, question])).toEqual([plain('user', `${summary}\n\nWhere?`)]);
  const answer = { role: 'assistant', content: 'Yes.' };
  expect(messagesOf([compaction, answer])).toEqual([plain('user', summary), plain('assistant', 'Yes.')]);
  expect(messagesOf([{ type: 'compaction', encrypted_content: 'gAAAA' }, question])).toEqual([plain('user', 'Where?')]);
  expect(messagesOf([{ type: 'compaction', encrypted_content: { a: 1 } }])).toEqual([]);
});

test('the question for a summary follows the conversation in a message of the user', () => {
  const [asked] = summaryRequest(messagesOf('Hi.'));
  expect(asked).toMatchObject({ role: 'user', content: expect.stringMatching(/^Hi\.\n\nSummarize/) });
  const talk = messagesOf([
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: 'Hello.' },
  ]);
  expect(summaryRequest(talk)).toEqual([...talk, plain('user', expect.stringMatching(/^Summarize/))]);
});
