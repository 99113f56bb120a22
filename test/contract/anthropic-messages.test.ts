// POST /v1/messages: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageEventsOf, postMessages } from '../support/anthropic.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const user = (content: unknown) => ({ role: 'user', content });
const sky = { temperature: 0, messages: [user('Why is the sky blue?')] };
const { name, description, parameters } = weatherTool.function;
const tool = { name, description, input_schema: parameters };
const weather = { temperature: 0, messages: [weatherQuestion], tools: [tool] };
const png = drawPng({ shape: 'circle', color: colors.red }).toString('base64');
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };

const answerTo = async (body: Record<string, unknown>) => {
  const { status, text, body: message } = await postMessages(url, body);
  if (status !== 200) throw new Error(text);
  return message;
};
const textOf = async (body: Record<string, unknown>): Promise<string> =>
  (await answerTo(body)).content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe('an answer', () => {
  test('is one message', async () => {
    const { status, headers, body } = await postMessages(url, sky);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      type: 'message',
      role: 'assistant',
      model: 'ember',
      content: [{ type: 'text', text: expect.stringMatching(/scatter/i), citations: [] }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: expect.any(Number),
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: expect.any(Number),
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        inference_geo: null,
        service_tier: null,
        speed: null,
      },
    });
    expect(body.usage.output_tokens).toBeGreaterThan(5);
  });

  test('streamed: the same message in events, in order', async () => {
    const { headers, text } = await postMessages(url, { ...sky, stream: true }, '/v1/messages?beta=true');
    expect(headers.get('content-type')).toBe('text/event-stream');
    const whole = await answerTo(sky);
    const events = messageEventsOf(text).filter(({ type }) => type !== 'ping');
    const deltas = events.slice(2, -3);
    expect(events[0]).toEqual({
      type: 'message_start',
      message: {
        ...whole,
        id: expect.any(String),
        content: [],
        stop_reason: null,
        usage: { ...whole.usage, output_tokens: 0 },
      },
    });
    expect(events[1]).toEqual({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '', citations: [] },
    });
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = whole.usage;
    expect(events.slice(-3)).toEqual([
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
        usage: {
          ...{ input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens },
          output_tokens_details: { thinking_tokens: 0 },
          server_tool_use: null,
        },
      },
      { type: 'message_stop' },
    ]);
    expect(deltas.length).toBeGreaterThan(3);
    const texts = deltas.map((event) =>
      event.type === 'content_block_delta' && event.index === 0 && event.delta.type === 'text_delta'
        ? event.delta.text
        : `not a delta: ${JSON.stringify(event)}`,
    );
    expect(whole.content).toEqual([{ type: 'text', text: texts.join(''), citations: [] }]);
  });

  test.each([
    ['max_tokens', { max_tokens: 3 }, ['max_tokens', null]],
    [
      'a stop sequence',
      { stop_sequences: ['scatter', ' scatter'] },
      ['stop_sequence', expect.stringContaining('scatter')],
    ],
    [
      'a full context',
      { max_tokens: 32_000, stop_sequences: [], options: { num_ctx: 24 } },
      ['model_context_window_exceeded', null],
    ],
  ])('the reason of its end: %s', async (_, body, expected) => {
    const { stop_reason, stop_sequence } = await answerTo({ ...sky, ...body });
    expect([stop_reason, stop_sequence]).toEqual(expected);
  });

  test('unknown fields are ignored, null counts as absent', async () => {
    const extra = {
      metadata: { user_id: 'me' },
      context_management: { edits: [] },
      service_tier: 'auto',
      system: null,
      tools: null,
      stop_sequences: null,
      max_tokens: null,
    };
    expect(await textOf({ ...sky, ...extra })).toMatch(/scatter/i);
  });
});

describe('messages', () => {
  test('a system prompt in blocks', async () => {
    const system = [{ type: 'text', text: 'You are a pirate named Bill.' }];
    expect(await textOf({ temperature: 0, system, messages: [user('Who are you?')] })).toContain('Bill');
  });

  test('an image, and an image in a tool result', async () => {
    const seen = /red circle/;
    const look = { type: 'text', text: 'Describe the image.' };
    expect(await textOf({ model: 'ember-eyes', temperature: 0, messages: [user([image, look])] })).toMatch(seen);
    const messages = [
      user('Show me the picture.'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'show', input: {} }] },
      user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }, look]),
    ];
    const { usage } = await answerTo({ model: 'ember-eyes', max_tokens: 1, messages });
    const without = [...messages.slice(0, 2), user([{ type: 'tool_result', tool_use_id: 'toolu_1' }, look])];
    const { usage: less } = await answerTo({ model: 'ember-eyes', max_tokens: 1, messages: without });
    const total = (counts: typeof usage) => counts.input_tokens + counts.cache_read_input_tokens;
    expect(total(usage) - total(less)).toBeGreaterThan(10);
  });

  test.each([
    ['no messages', { messages: [] }, 'messages: at least one message is required'],
    ['an image by URL', { messages: [user([{ type: 'image', source: { type: 'url', url: 'https://a' } }])] }, 'base64'],
    ['a negative limit', { ...sky, max_tokens: -1 }, 'max_tokens'],
    ['a negative budget', { ...sky, thinking: { type: 'enabled', budget_tokens: -1 } }, 'budget_tokens'],
    ['a tool that does not exist', { ...weather, tool_choice: { type: 'tool', name: 'x' } }, '"x"'],
    ['a schema that is not one', { ...sky, output_config: { format: { type: 'json_schema' } } }, 'schema'],
    ['an option of the wrong type', { ...sky, options: { num_ctx: 'x' } }, 'num_ctx'],
  ])('%s is refused', async (_, body, message) => {
    const { status, headers, body: answer } = await postMessages(url, body);
    expect([status, answer]).toEqual([
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
        request_id: headers.get('request-id'),
      },
    ]);
  });
});

describe('tools', () => {
  const call = {
    type: 'tool_use',
    id: expect.stringMatching(/^toolu_[0-9a-f]{32}$/),
    name,
    input: expect.objectContaining({ location: expect.stringContaining('Paris') }),
    caller: { type: 'direct' },
  };

  test('a call, and an answer from its result', async () => {
    const { content, stop_reason } = await answerTo(weather);
    expect([content.at(-1), stop_reason]).toEqual([call, 'tool_use']);
    const { id = '' } = content.at(-1) as { id?: string };
    const result = { type: 'tool_result', tool_use_id: id, content: '{"temperature": 21, "condition": "sunny"}' };
    const messages = [weatherQuestion, { role: 'assistant', content }, user([result])];
    expect(await textOf({ ...weather, messages })).toMatch(/sunny/);
  });

  test('streamed: the input is one JSON text in deltas', async () => {
    const events = messageEventsOf((await postMessages(url, { ...weather, stream: true })).text);
    const start = events.find(
      (event) => event.type === 'content_block_start' && event.content_block.type === 'tool_use',
    );
    const { index } = start as { index: number };
    expect(start).toMatchObject({ content_block: { ...call, input: {} } });
    const own = events.filter((event) => 'index' in event && event.index === index);
    expect(own.map(({ type }) => type)).toEqual(['content_block_start', 'content_block_delta', 'content_block_stop']);
    const { delta } = own[1] as { delta: { type: string; partial_json: string } };
    expect([delta.type, JSON.parse(delta.partial_json)]).toEqual(['input_json_delta', call.input]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  test.each([
    [{ type: 'any' }, 'Hello!'],
    [{ type: 'tool', name, disable_parallel_tool_use: true }, 'Hello!'],
  ])('tool_choice %j: the answer is a call', async (tool_choice, question) => {
    const { content } = await answerTo({ ...weather, messages: [user(question)], tool_choice });
    expect(content).toEqual([expect.objectContaining({ type: 'tool_use', name })]);
  });

  test('tool_choice none: the model does not know the tools', async () => {
    const { usage } = await answerTo({ ...weather, max_tokens: 1, tool_choice: { type: 'none' } });
    expect(usage.input_tokens + usage.cache_read_input_tokens).toBeLessThan(60);
  });

  test('tools that a server would run are ignored', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }];
    expect(await textOf({ ...sky, tools })).toMatch(/scatter/i);
  });
});

test('output_config.format: the answer conforms to the schema', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const messages = [user('Reply in JSON with keys name and age for Anna who is 31.')];
  const format = { type: 'json_schema', schema };
  const answer = await textOf({ temperature: 0, messages, output_config: { effort: 'low', format } });
  expect(JSON.parse(answer)).toEqual({ name: expect.any(String), age: expect.any(Number) });
});
