import { describe, expect, test } from 'vitest';
import type { MessagesRequestBody } from './messages-request-schema.ts';
import { ignoredToolTypes, toAnthropicChatInput } from './to-chat-input.ts';

const inputOf = (body: MessagesRequestBody) =>
  toAnthropicChatInput({ model: 'ember', messages: [{ role: 'user', content: 'Hi.' }], ...body });

test('options', () => {
  const { options } = inputOf({
    max_tokens: 32_000,
    stop_sequences: ['END'],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    options: { seed: 7, top_k: 9 },
  });
  expect(options.values).toEqual({ numPredict: 32_000, stop: ['END'], temperature: 0.5, topP: 0.9, topK: 5, seed: 7 });
  expect(inputOf({}).options.values).toEqual({});
});

test('a prompt is neither truncated nor shifted', () => {
  expect(inputOf({})).toMatchObject({ truncate: false, shift: false, systemInPlace: true, thinkIfAble: true });
});

describe('tools', () => {
  const look = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } };

  test('are functions; tools that a server would run are ignored', () => {
    const tools = [
      { ...look, type: 'custom' },
      { name: 'listen' },
      { type: 'web_search_20250305', name: 'web_search' },
    ];
    expect(inputOf({ tools }).tools).toMatchObject([
      { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
      { name: 'listen', description: '' },
    ]);
    expect(ignoredToolTypes({ tools })).toEqual(['web_search_20250305']);
    expect(() => inputOf({ tools: [{}] })).toThrow('a tool has no name');
  });

  test.each<[MessagesRequestBody['tool_choice'], object]>([
    [undefined, {}],
    [{ type: 'auto' }, { toolChoice: 'auto' }],
    [{ type: 'none' }, { toolChoice: 'none' }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { toolChoice: 'required', parallelCalls: false },
    ],
    [{ type: 'tool', name: 'look' }, { toolChoice: { name: 'look' } }],
  ])('tool_choice %j', (tool_choice, expected) => {
    const { toolChoice, parallelCalls } = inputOf(tool_choice === undefined ? {} : { tool_choice });
    expect(JSON.stringify({ toolChoice, parallelCalls })).toBe(JSON.stringify(expected));
  });

  test.each([{ type: 'tool' }, { type: 'some' }])('tool_choice %j is refused', (tool_choice) => {
    expect(() => inputOf({ tool_choice })).toThrow('tool_choice');
  });
});

describe('thinking', () => {
  test.each<[MessagesRequestBody, object]>([
    [{}, { think: false }],
    [{ output_config: { effort: 'high' } }, { think: false }],
    [{ thinking: { type: 'disabled' } }, { think: false }],
    [{ thinking: { type: 'adaptive' } }, { think: true }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, { think: 'max' }],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { think: true, thinkingBudget: 2000 }],
  ])('%j', (body, expected) => {
    const { think, thinkingBudget } = inputOf(body);
    expect(JSON.stringify({ think, thinkingBudget })).toBe(JSON.stringify(expected));
  });

  test('an unknown effort is refused', () => {
    const thinking = { type: 'enabled' };
    expect(() => inputOf({ thinking, output_config: { effort: 'constructor' } })).toThrow('output_config.effort');
  });
});

describe('the format of the answer', () => {
  const schema = { type: 'object' };
  const format = { type: 'json_schema', schema };

  test('is a JSON schema, by its new name or its old one', () => {
    for (const body of [{ output_config: { format } }, { output_format: format }])
      expect(inputOf(body).format).toEqual({ type: 'schema', schema });
    expect(inputOf({ output_config: { effort: 'low' } }).format).toBeUndefined();
  });

  test.each([{ type: 'yaml' }, { type: 'json_schema' }])('%j is refused', (wrong) => {
    expect(() => inputOf({ output_config: { format: wrong } })).toThrow('output_config.format');
  });
});
