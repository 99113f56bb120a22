import { describe, expect, test } from 'vitest';
import type { CountTokensRequestBody } from './messages-request-schema.ts';
import { toConversationMessages } from './to-messages.ts';

type Body = CountTokensRequestBody;
const text = (content: string) => ({ type: 'text', text: content });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const of = (...messages: NonNullable<Body['messages']>) => toConversationMessages({ messages });
const none = { encodedImages: [] };

describe('the system prompt', () => {
  const systemOf = (system: unknown) =>
    toConversationMessages({ system, messages: [user('Hi.')] })
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content);

  test.each([
    ['a text', 'Be kind.', ['Be kind.']],
    [
      'blocks',
      [text('Be kind.'), { ...text('Be brief.'), cache_control: { type: 'ephemeral' } }],
      ['Be kind.\n\nBe brief.'],
    ],
    ['nothing', [], []],
    ['absent', undefined, []],
  ])('%s', (_, system, expected) => {
    expect(systemOf(system)).toEqual(expected);
  });

  test('the billing block of an agent is left out, because its value changes', () => {
    const billing = text('x-anthropic-billing-header: cc_version=2.1.197; cch=0a1b2;');
    expect(systemOf([billing, text('Be kind.')])).toEqual(['Be kind.']);
    expect(systemOf([text('Be kind.'), billing])).toEqual([`Be kind.\n\n${billing.text}`]);
  });
});

describe('messages', () => {
  test('an answer with calls that the server ran is read as the rounds that it had', () => {
    const call = (id: string) => ({ type: 'mcp_tool_use', id, name: 'read file', server_name: 'files', input: { id } });
    const result = (id: string) => ({ type: 'mcp_tool_result', tool_use_id: id, content: [text(`result ${id}`)] });
    const blocks = [text('A.'), call('1'), result('1'), call('2'), { ...result('2'), is_error: true }, text('B.')];
    const use = (id: string) => [{ id, name: 'read_file', arguments: { id } }];
    expect(of(user('Hi.'), assistant(blocks)).slice(1)).toEqual([
      { role: 'assistant', content: 'A.', ...none, toolCalls: use('1') },
      { role: 'tool', content: 'result 1', ...none, toolCallId: '1', toolName: 'read_file' },
      { role: 'assistant', content: '', ...none, toolCalls: use('2') },
      { role: 'tool', content: 'Error: result 2', ...none, toolCallId: '2', toolName: 'read_file' },
      { role: 'assistant', content: 'B.', ...none },
    ]);
  });

  test('texts and blocks of text; system messages stay in place', () => {
    expect(of(user('Hi.'), { role: 'system', content: 'Be brief.' }, assistant([text('A.'), text('B.')]))).toEqual([
      { role: 'user', content: 'Hi.', ...none },
      { role: 'system', content: 'Be brief.', ...none },
      { role: 'assistant', content: 'A.\n\nB.', ...none },
    ]);
  });

  test('images, documents and search results', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const plain = {
      type: 'document',
      title: 'Notes',
      source: { type: 'text', media_type: 'text/plain', data: 'One.' },
    };
    const blocks = { type: 'document', source: { type: 'content', content: [text('Two.'), image] } };
    const found = { type: 'search_result', title: 'Page', source: 'a page', content: [text('Three.')] };
    expect(of(user([image, plain, blocks, found]))).toEqual([
      { role: 'user', content: 'Notes\n\nOne.\n\nTwo.\n\nPage\n\na page\n\nThree.', encodedImages: ['AAAA', 'AAAA'] },
    ]);
  });

  test('thinking and tool calls of the assistant', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: '' };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sky' } };
    expect(of(user('Hi.'), assistant([thinking, text('Well.'), call]))[1]).toEqual({
      role: 'assistant',
      content: 'Well.',
      thinking: 'Hm.',
      toolCalls: [{ id: 'toolu_1', name: 'look', arguments: { at: 'sky' } }],
      ...none,
    });
  });

  test('tool results precede the text of their message, have the name of the tool and their images', () => {
    const calls = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: `tool-${id}`, input: {} }));
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const results = [
      text('Go on.'),
      { type: 'tool_result', tool_use_id: 'a', content: [text('Seen.'), image] },
      { type: 'tool_result', tool_use_id: 'b', content: 'no such file', is_error: true },
      { type: 'tool_result', tool_use_id: 'c' },
    ];
    expect(of(assistant(calls), user(results)).slice(1)).toEqual([
      { role: 'tool', content: 'Seen.', encodedImages: ['AAAA'], toolCallId: 'a', toolName: 'tool-a' },
      { role: 'tool', content: 'Error: no such file', toolCallId: 'b', toolName: 'tool-b', ...none },
      { role: 'tool', content: '', toolCallId: 'c', ...none },
      { role: 'user', content: 'Go on.', ...none },
    ]);
  });

  test('unknown blocks are ignored', () => {
    const blocks = [{ type: 'redacted_thinking', data: 'x' }, { type: 'server_tool_use', id: 'a' }, text('Hi.')];
    expect(of(user(blocks))).toEqual([{ role: 'user', content: 'Hi.', ...none }]);
    expect(of(user([{ type: 'constructor' }, { type: '__proto__' }]))).toEqual([
      { role: 'user', content: '', ...none },
    ]);
  });

  const nested = (depth: number): unknown =>
    depth === 0 ? 'x' : [{ type: 'document', source: { type: 'content', content: nested(depth - 1) } }];
  test.each<[string, unknown, string]>([
    ['a number', 3, 'messages.0.content: expected a string or an array'],
    ['a block that is no object', ['x'], 'messages.0.content.0: expected an object'],
    ['a block without a type', [{}], 'messages.0.content.0.type: expected a string'],
    ['a text block without text', [{ type: 'text' }], 'messages.0.content.0.text: expected a string'],
    ['an image by URL', [{ type: 'image', source: { type: 'url', url: 'https://x' } }], 'base64 source'],
    [
      'a document by URL',
      [{ type: 'document', source: { type: 'url', url: 'https://x' } }],
      'only documents in base64',
    ],
    ['input of a tool that is no object', [{ type: 'tool_use', id: 'a', name: 'b', input: [] }], 'input: expected'],
    ['deep nesting', nested(10_000), 'nested too deeply'],
  ])('%s is refused', (_, content, message) => {
    expect(() => of(user(content))).toThrow(message);
  });

  test('an unknown role and no messages are refused', () => {
    expect(() => of({ role: 'tool', content: 'x' })).toThrow('messages.0.role');
    expect(() => of()).toThrow('at least one message');
  });
});
