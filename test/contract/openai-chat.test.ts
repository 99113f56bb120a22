// POST /v1/chat/completions: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatCompletionToolCall } from '../../src/server/dialects/openai/chat/chat-schema.ts';
import { post } from '../support/client.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { addEmberVariant } from '../support/models/ember-variant.ts';
import { eventsOf, postChat, postCompletion } from '../support/openai.ts';
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
const weather = { temperature: 0, messages: [weatherQuestion], tools: [weatherTool] };
const contentOf = async (body: Record<string, unknown>): Promise<string | null | undefined> => {
  const { status, text, body: answer } = await postChat(url, body);
  if (status !== 200) throw new Error(text);
  return answer.choices[0]?.message.content;
};

describe('an answer', () => {
  test('is one object with choices and usage', async () => {
    const { status, type, body } = await postChat(url, sky);
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-.+/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'ember',
      system_fingerprint: expect.any(String),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.stringMatching(/scatter/i), refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: body.usage.prompt_tokens + body.usage.completion_tokens,
        prompt_tokens_details: { cached_tokens: expect.any(Number) },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(body.usage.completion_tokens).toBeGreaterThan(5);
  });

  test('streamed: the role, the content, the finish reason, then [DONE]', async () => {
    const { status, type, text } = await postChat(url, { ...sky, stream: true });
    const { objects, ended } = eventsOf(text);
    expect([status, type, ended]).toEqual([200, 'text/event-stream', true]);
    expect(new Set(objects.map(({ id, created, object }) => `${id} ${created} ${object}`)).size).toBe(1);
    const choices = objects.map(({ choices: [choice] }) => choice);
    expect(choices[0]).toEqual({ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null });
    expect(choices.at(-1)).toEqual({ index: 0, delta: {}, finish_reason: 'stop' });
    expect(choices.map((choice) => choice?.delta.content ?? '').join('')).toBe(await contentOf(sky));
    expect(choices.length).toBeGreaterThan(3);
    expect(objects.every((object) => !('usage' in object))).toBe(true);
  });

  test('`stream_options.include_usage`: usage is in a last chunk without choices and null in the others', async () => {
    const { usage } = (await postChat(url, sky)).body;
    const { text } = await postChat(url, { ...sky, stream: true, stream_options: { include_usage: true } });
    const { objects } = eventsOf(text);
    const last = objects.pop();
    expect(objects.every((object) => object.usage === null)).toBe(true);
    expect(last).toMatchObject({ choices: [], usage });
  });

  test('the part of the prompt that earlier requests evaluated is in usage', async () => {
    const long = { max_tokens: 1, messages: [user('Count the birds in the old tree. '.repeat(8))] };
    const first = (await postChat(url, long)).body.usage;
    const second = (await postChat(url, long)).body.usage;
    expect(first.prompt_tokens_details.cached_tokens).toBeLessThan(first.prompt_tokens / 2);
    // The last token is evaluated again, because its logits are needed.
    expect(second.prompt_tokens_details.cached_tokens).toBe(first.prompt_tokens - 1);
  });

  test('unknown fields are ignored, null counts as absent', async () => {
    const extra = {
      user: 'me',
      store: false,
      metadata: {},
      stop: null,
      seed: null,
      tools: null,
      response_format: null,
    };
    expect(await contentOf({ ...sky, ...extra })).toMatch(/scatter/i);
  });
});

describe('messages', () => {
  test('content in parts, the developer role, an assistant message without content', async () => {
    const messages = [
      { role: 'developer', content: [{ type: 'text', text: 'You are a pirate named Bill.' }] },
      user([{ type: 'text', text: 'Who are you?' }]),
    ];
    expect(await contentOf({ temperature: 0, messages })).toContain('Bill');
  });

  test('an image as a data URL', async () => {
    const image = `data:image/png;base64,${drawPng({ shape: 'circle', color: colors.red }).toString('base64')}`;
    const messages = [
      user([
        { type: 'text', text: 'Describe the image.' },
        { type: 'image_url', image_url: { url: image } },
      ]),
    ];
    const { status, body } = await postChat(url, { model: 'ember-eyes', temperature: 0, messages });
    expect([status, body.choices[0]?.message.content]).toEqual([200, expect.stringMatching(/red circle/)]);
  });

  test.each([
    ['no messages', { messages: [] }, "[] is too short - 'messages'"],
    ['no content', { messages: [{ role: 'user', content: null }] }, 'invalid message content type'],
    ['an unknown part', { messages: [user([{ type: 'sound' }])] }, 'invalid message format'],
    [
      'an image URL',
      { messages: [user([{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }])] },
      'image URLs are not currently supported',
    ],
    [
      'arguments that are not JSON',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] }] },
      'invalid tool call arguments',
    ],
    ['an invalid effort', { ...sky, reasoning_effort: 'huge' }, 'invalid reasoning value: "huge"'],
    ['an invalid stop', { ...sky, stop: [1] }, "invalid type for 'stop' field"],
    ['too many answers', { ...sky, n: 1000 }, 'n must be between'],
    ['an invalid bias', { ...sky, logit_bias: { '-4': 1 } }, 'logit_bias'],
    ['a bias for an unknown token', { ...sky, logit_bias: { '99999999': 1 } }, '99999999 is not a token'],
    ['an unknown tool', { ...weather, tool_choice: { type: 'function', function: { name: 'x' } } }, '"x"'],
    ['a required tool without tools', { ...sky, tool_choice: 'required' }, 'there are no tools'],
    ['an invalid tool_choice', { ...weather, tool_choice: 3 }, 'tool_choice must be'],
    ['an invalid format', { ...sky, response_format: { type: 'yaml' } }, 'unknown type "yaml"'],
    ['too many logprobs', { ...sky, top_logprobs: 21 }, 'top_logprobs must be between 0 and 20'],
  ])('%s is refused', async (_, body, message) => {
    const { status, body: answer } = await postChat(url, body);
    expect(status).toBe(400);
    expect(answer).toEqual({
      error: {
        message: expect.stringContaining(message),
        type: 'invalid_request_error',
        param: null,
        code: 'bad_request',
      },
    });
  });
});

describe('options', () => {
  test('`stop` as a string or an array; `max_tokens` and `max_completion_tokens`', async () => {
    const whole = (await contentOf(sky)) ?? '';
    expect(await contentOf({ ...sky, stop: whole.slice(4, 8) })).toBe(whole.slice(0, 4));
    expect(await contentOf({ ...sky, stop: ['nothing of it', whole.slice(6, 9)] })).toBe(whole.slice(0, 6));
    for (const limit of ['max_tokens', 'max_completion_tokens']) {
      const { body } = await postChat(url, { ...sky, [limit]: 3 });
      expect([body.usage.completion_tokens, body.choices[0]?.finish_reason]).toEqual([3, 'length']);
    }
  });

  test('`seed`: equal seeds give equal answers; several answers differ', async () => {
    // At this temperature and without top_k an answer depends on the seed alone. Rounding, which may depend on the size
    // of the batch, cannot change it.
    await post(url, '/api/create', { model: 'even', from: 'ember', parameters: { top_k: 0 } });
    const body = { model: 'even', messages: [user('Tell me a story.')], temperature: 1e12, max_tokens: 24 };
    expect(await contentOf({ ...body, seed: 7 })).toBe(await contentOf({ ...body, seed: 7 }));
    const { body: several } = await postChat(url, { ...body, seed: 7, n: 3 });
    const texts = several.choices.map(({ message }) => message.content);
    expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(texts).size).toBe(3);
    expect(texts[0]).toBe(await contentOf({ ...body, seed: 7 }));
    expect(several.usage.completion_tokens).toBeGreaterThan(24);
  });

  test('`n`, streamed: each answer has its own finish reason', async () => {
    const { text } = await postChat(url, { ...sky, n: 2, stream: true, max_tokens: 5 });
    const choices = eventsOf(text).objects.flatMap(({ choices }) => choices);
    expect(
      choices
        .filter(({ finish_reason: reason }) => reason === 'length')
        .map(({ index }) => index)
        .sort(),
    ).toEqual([0, 1]);
    const textOf = (wanted: number) =>
      choices.flatMap(({ index, delta }) => (index === wanted ? [delta.content ?? ''] : [])).join('');
    expect(textOf(0)).toBe(textOf(1));
  });

  test('`options`, `num_ctx` and `keep_alive` work as in the Ollama dialect', async () => {
    const { body } = await postChat(url, {
      ...sky,
      options: { num_predict: 2, temperature: 3 },
      num_ctx: 512,
      keep_alive: '9m',
    });
    expect(body.usage.completion_tokens).toBe(2);
    const { models } = (await (await fetch(`${url}/api/ps`)).json()) as {
      models: { context_length: number; expires_at: string }[];
    };
    expect(models.map(({ context_length }) => context_length)).toContain(512);
  });

  test('a prompt longer than the context is refused, not cut', async () => {
    const { status, body } = await postChat(url, { ...sky, messages: [user('word '.repeat(300))], num_ctx: 128 });
    const error = expect.objectContaining({ type: 'invalid_request_error', code: 'context_length_exceeded' });
    expect([status, body]).toEqual([400, { error }]);
  });

  test('penalties', async () => {
    const body = { messages: [user('Tell me a story.')], temperature: 0, max_tokens: 40 };
    const plain = await contentOf(body);
    expect(await contentOf({ ...body, frequency_penalty: 20 })).not.toBe(plain);
    expect(await contentOf({ ...body, presence_penalty: 20 })).not.toBe(plain);
  });

  test('`logit_bias` excludes or forces a token', async () => {
    const { body } = await postChat(url, { ...sky, max_tokens: 1 });
    const first = body.choices[0]?.message.content ?? '';
    const tokenized = await fetch(`${url}/api/tokenize`, {
      method: 'POST',
      body: JSON.stringify({ model: 'ember', text: first }),
    });
    const { tokens } = (await tokenized.json()) as { tokens: number[] };
    expect(await contentOf({ ...sky, max_tokens: 1, logit_bias: { [String(tokens[0])]: -100 } })).not.toBe(first);
    expect(await contentOf({ ...sky, temperature: 1, max_tokens: 3, logit_bias: { [String(tokens[0])]: 100 } })).toBe(
      first.repeat(3),
    );
  });

  test('control tokens are not content, whatever the model writes', async () => {
    const tokenized = await fetch(`${url}/api/tokenize`, {
      method: 'POST',
      body: JSON.stringify({ model: 'ember', text: '<|im_start|>' }),
    });
    const { tokens } = (await tokenized.json()) as { tokens: number[] };
    const forced = { temperature: 1, max_tokens: 4, logit_bias: { [String(tokens[0])]: 100 } };
    const { body } = await postChat(url, { ...sky, ...forced });
    expect(body.choices[0]?.message.content).toBe('');
    expect(body.usage.completion_tokens).toBe(4);
    expect((await postCompletion(url, { prompt: 'Once', ...forced })).body.choices[0]?.text).toBe('');
  });

  test("the default temperature is the model's, otherwise OpenAI's", async () => {
    await addEmberVariant(server.store, 'cool', { params: { temperature: 0 } });
    const body = { model: 'cool', messages: [user('Tell me a story.')], max_tokens: 16 };
    expect(await contentOf(body)).toBe(await contentOf({ ...body, temperature: 0 }));
  });
});

describe('response_format', () => {
  const anna = { temperature: 0, messages: [user('Reply in JSON with keys name and age for Anna who is 31.')] };

  test('json_object', async () => {
    expect(JSON.parse((await contentOf({ ...anna, response_format: { type: 'json_object' } })) ?? '')).toBeTypeOf(
      'object',
    );
  });

  test('json_schema', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' }, mood: { enum: ['happy', 'sad'] } },
      required: ['name', 'age', 'mood'],
      additionalProperties: false,
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } };
    const value = JSON.parse((await contentOf({ ...anna, response_format })) ?? '');
    expect(value).toMatchObject({ name: 'Anna', age: 31 });
    expect(['happy', 'sad']).toContain(value.mood);
  });
});

describe('tools', () => {
  const callsIn = (choice: { message: { tool_calls?: readonly ChatCompletionToolCall[] } } | undefined) =>
    choice?.message.tool_calls ?? [];

  test('a call with its arguments as JSON text, then an answer', async () => {
    const { body } = await postChat(url, weather);
    const [choice] = body.choices;
    const [call] = callsIn(choice);
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(call).toMatchObject({ type: 'function', index: 0, id: expect.stringMatching(/^call_/) });
    expect(call?.function.name).toBe('get_current_weather');
    expect(JSON.parse(call?.function.arguments ?? '')).toMatchObject({ location: 'Paris' });
    const answer = { role: 'tool', tool_call_id: call?.id, content: '{"temperature": 21, "condition": "sunny"}' };
    expect(await contentOf({ ...weather, messages: [weatherQuestion, choice?.message, answer] })).toMatch(/sunny/);
  });

  test('streamed with an index, an id and the complete call', async () => {
    const { text } = await postChat(url, { ...weather, stream: true });
    const choices = eventsOf(text).objects.flatMap(({ choices }) => choices);
    const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(calls).toEqual([
      { index: 0, id: expect.stringMatching(/^call_/), type: 'function', function: expect.anything() },
    ]);
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
  });

  test('`tool_choice` none: the model does not see the tools', async () => {
    const { body } = await postChat(url, { ...weather, tool_choice: 'none' });
    expect(callsIn(body.choices[0])).toEqual([]);
    const plain = await postChat(url, { temperature: 0, messages: weather.messages });
    expect(body.usage.prompt_tokens).toBe(plain.body.usage.prompt_tokens);
  });

  test('`tool_choice` required or a name: the model calls a tool for any question', async () => {
    const named = { type: 'function', function: { name: 'get_current_weather' } };
    for (const tool_choice of ['required', named]) {
      const { body } = await postChat(url, { ...sky, tools: [weatherTool], tool_choice, max_tokens: 200 });
      const [call] = callsIn(body.choices[0]);
      expect([call?.function.name, body.choices[0]?.finish_reason]).toEqual(['get_current_weather', 'tool_calls']);
      const values = JSON.parse(call?.function.arguments ?? '');
      expect(Object.keys(values)).toEqual(expect.arrayContaining(['location', 'format']));
      expect(['celsius', 'fahrenheit']).toContain(values.format);
    }
  });

  test('`tool_choice` with a name: that tool, even if its schema cannot be a grammar', async () => {
    const other = { type: 'function', function: { name: 'remember', parameters: { type: 'object', not: {} } } };
    const tool_choice = { type: 'function', function: { name: 'remember' } };
    const { body } = await postChat(url, { ...weather, tools: [weatherTool, other], tool_choice, max_tokens: 200 });
    expect(callsIn(body.choices[0]).map((call) => call.function.name)).toEqual(['remember']);
  });
});

describe('failures', () => {
  test.each([
    ['bad JSON', '{"model": ', 400, 'invalid_request_error', 'bad_request'],
    [
      'an option of the wrong type',
      '{"model": "ember", "messages": [{"role": "user", "content": "x"}], "options": {"num_ctx": "x"}}',
      400,
      'invalid_request_error',
      'bad_option',
    ],
    ['no body', '', 400, 'invalid_request_error', 'bad_request'],
    ['a list', '[]', 400, 'invalid_request_error', 'bad_request'],
    ['a wrong type', JSON.stringify({ model: 3, messages: [] }), 400, 'invalid_request_error', 'bad_request'],
    ['an unknown model', JSON.stringify({ model: 'nobody', ...sky }), 404, 'not_found_error', 'model_not_found'],
    ['no model', JSON.stringify(sky), 400, 'invalid_request_error', 'bad_request'],
  ])('%s: error in the format of the dialect', async (_, body, status, type, code) => {
    const reply = await postChat(url, body);
    expect([reply.status, reply.type]).toEqual([status, 'application/json; charset=utf-8']);
    expect(reply.body).toEqual({ error: { message: expect.any(String), type, param: null, code } });
  });

  test.each([
    ['GET', '/v1/nosuch', 404],
    ['GET', '/v1', 404],
    ['GET', '/v1/chat/completions', 405],
    ['DELETE', '/v1/models', 405],
  ])('%s %s is %d, in the same format', async (method, path, status) => {
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param: null, code: expect.any(String) },
    });
  });

  test('an error before the stream has a status; a later one is the last event', async () => {
    const { status, body } = await postChat(url, { ...sky, model: 'nobody', stream: true });
    expect([status, body.error?.type]).toEqual([404, 'not_found_error']);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'ember', messages: [user('Tell me a very long story.')], stream: true, stop: [] }),
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = Buffer.from((await reader.read()).value ?? []).toString();
    for (const runner of server.runners()) process.kill(runner, 'SIGKILL');
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += Buffer.from(part.value);
    const { objects, ended } = eventsOf<{ error?: { type: string } }>(text);
    expect([objects.at(-1)?.error?.type, ended]).toEqual(['api_error', false]);
  });
});
