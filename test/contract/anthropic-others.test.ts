// Thinking, prompts, caching, token counts, errors and models of the Anthropic dialect: each test name states a rule.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageEventsOf, postMessages } from '../support/anthropic.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherTool } from '../support/weather-tool.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  await addEndlessModel(server.store, 'endless');
});
afterAll(() => server.stop());

const user = (content: unknown) => ({ role: 'user', content });
const long = 'The old tree has many birds. '.repeat(20);
const answerTo = async (body: Record<string, unknown>) => {
  const { status, text, body: message } = await postMessages(url, body);
  if (status !== 200) throw new Error(text);
  return message;
};

describe('thinking', () => {
  const sum = { model: 'ember-thinks', temperature: 0, messages: [user('What is 12 + 30?')] };
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const typesOf = (content: readonly { readonly type: string }[]) => content.map(({ type }) => type);

  test('is a block before the text, and counted', async () => {
    const { content, usage } = await answerTo({ ...sum, thinking });
    expect(typesOf(content)).toEqual(['thinking', 'text']);
    expect(content[0]).toEqual({ type: 'thinking', thinking: expect.stringMatching(/\S/), signature: '' });
    const { thinking_tokens } = usage.output_tokens_details;
    expect(thinking_tokens).toBeGreaterThan(2);
    expect(thinking_tokens).toBeLessThan(usage.output_tokens);
  });

  test('streamed: the block ends with its signature before the text begins', async () => {
    const { text } = await postMessages(url, { ...sum, thinking: { type: 'adaptive' }, stream: true });
    const inside = messageEventsOf(text).slice(1, -2);
    const names = inside.map((event) => (event.type === 'content_block_delta' ? event.delta.type : event.type));
    const order = names.filter((one, index) => one !== names[index - 1]);
    expect(order).toEqual([
      ...['content_block_start', 'thinking_delta', 'signature_delta', 'content_block_stop'],
      ...['content_block_start', 'text_delta', 'content_block_stop'],
    ]);
  });

  test('a budget ends the thinking, not the answer', async () => {
    const { content, usage, stop_reason } = await answerTo({ ...sum, thinking: { ...thinking, budget_tokens: 4 } });
    expect([typesOf(content), stop_reason]).toEqual([['thinking', 'text'], 'end_turn']);
    expect(usage.output_tokens_details.thinking_tokens).toBe(4);
  });

  test('is not there unless the request asks for it', async () => {
    for (const body of [{}, { thinking: { type: 'disabled' } }])
      expect(typesOf((await answerTo({ ...sum, ...body })).content)).toEqual(['text']);
  });

  test('can be sent without its text', async () => {
    const { content } = await answerTo({ ...sum, thinking: { type: 'adaptive', display: 'omitted' } });
    expect(content[0]).toEqual({ type: 'thinking', thinking: '', signature: '' });
  });
});

describe('the prompt', () => {
  test('a second request reads the first one from the cache, also with another billing header', async () => {
    const ask = async (hash: string, ...more: object[]) => {
      const billing = { type: 'text', text: `x-anthropic-billing-header: cc_version=2; cch=${hash};` };
      const system = [billing, { type: 'text', text: long }];
      const tools = [{ ...weatherTool.function, input_schema: weatherTool.function.parameters }];
      return (await answerTo({ system, tools, max_tokens: 1, messages: [user('Hello!'), ...more] })).usage;
    };
    const first = await ask('0a1b2');
    const second = await ask('f3e4d', { role: 'assistant', content: 'Hello!' }, user('How are you?'));
    expect(first.input_tokens).toBeGreaterThan(150);
    const total = second.input_tokens + second.cache_read_input_tokens;
    expect(second.cache_read_input_tokens / total).toBeGreaterThan(0.8);
  });

  test('a system message in the middle stays there: the prompt before it does not change', async () => {
    const start = { system: long.replaceAll('birds', 'owls'), max_tokens: 1, messages: [user('Hello!')] };
    await answerTo(start);
    const more = [
      { role: 'system', content: 'Answer with one word.' },
      { role: 'assistant', content: 'Hi.' },
      user('So?'),
    ];
    const { usage } = await answerTo({ ...start, messages: [...start.messages, ...more] });
    expect(usage.cache_read_input_tokens).toBeGreaterThan(120);
  });

  test('that is too long is refused with both numbers', async () => {
    const { status, body } = await postMessages(url, { messages: [user(long)], options: { num_ctx: 64 } });
    expect([status, body.error?.type]).toEqual([400, 'invalid_request_error']);
    expect(body.error?.message).toMatch(/^prompt is too long: \d{3} tokens > 63 maximum$/);
  });

  test('its tokens are counted as a request would use them', async () => {
    const conversation = {
      system: 'Be kind.',
      messages: [user('Why?'), { role: 'assistant', content: 'So.' }, user('Hm.')],
    };
    const counted = await postMessages(
      url,
      JSON.stringify({ model: 'ember', ...conversation }),
      '/v1/messages/count_tokens?beta=true',
    );
    const { usage } = await answerTo({ ...conversation, max_tokens: 1 });
    expect([counted.status, counted.body]).toEqual([
      200,
      { input_tokens: usage.input_tokens + usage.cache_read_input_tokens },
    ]);
  });
});

describe('errors', () => {
  test.each([
    ['an unknown model', 'POST', '/v1/messages', { model: 'nobody', messages: [user('x')] }, 404, 'not_found_error'],
    [
      'an unknown model',
      'POST',
      '/v1/messages/count_tokens',
      { model: 'nobody', messages: [user('x')] },
      404,
      'not_found_error',
    ],
    ['an unknown path', 'POST', '/v1/messages/batches', {}, 404, 'not_found_error'],
    ['another method', 'GET', '/v1/messages', undefined, 405, 'invalid_request_error'],
    ['invalid JSON', 'POST', '/v1/messages', '{', 400, 'invalid_request_error'],
  ])('%s: %s %s', async (_, method, path, body, status, type) => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    expect([response.status, await response.json()]).toEqual([
      status,
      { type: 'error', error: { type, message: expect.any(String) }, request_id: response.headers.get('request-id') },
    ]);
  });

  test('in a stream: an event', async () => {
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'endless', stream: true, messages: [user('Go on.')] }),
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = Buffer.from((await reader.read()).value ?? []).toString();
    for (const pid of server.runners()) process.kill(pid, 'SIGKILL');
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += Buffer.from(part.value);
    const [last] = text.trimEnd().split('\n\n').slice(-1);
    expect(last).toMatch(/^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"/);
  });
});

test('HEAD / succeeds', async () => {
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
});

test('GET /v1/models has the fields of both dialects', async () => {
  const list = (await (await fetch(`${url}/v1/models?limit=1000`)).json()) as { data: { id: string }[] };
  expect(list).toMatchObject({
    object: 'list',
    has_more: false,
    first_id: list.data[0]?.id,
    last_id: list.data.at(-1)?.id,
  });
  expect(list.data).toContainEqual({
    id: 'ember:latest',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'library',
    type: 'model',
    display_name: 'ember:latest',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(await (await fetch(`${url}/v1/models/ember`)).json()).toMatchObject({ id: 'ember', type: 'model' });
});
