// POST /api/chat: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chat, post, postChat } from '../support/client.ts';
import { addEmberVariant } from '../support/models/ember-variant.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const greedy = { options: { temperature: 0 } };
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });
const sky = { ...greedy, messages: [user('Why is the sky blue?')] };
const statistics = ['eval_count', 'eval_duration', 'load_duration', 'prompt_eval_count', 'prompt_eval_duration'];

describe('streaming', () => {
  test('a stream of objects with parts of the message, then one with the statistics', async () => {
    const { status, type, objects } = await postChat(url, sky);
    const last = objects.pop();
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    for (const object of objects) {
      expect(Object.keys(object).sort()).toEqual(['created_at', 'done', 'message', 'model']);
      expect(object).toMatchObject({ model: 'ember', message: { role: 'assistant' }, done: false });
    }
    expect(objects.map(({ message }) => message?.content).join('')).toMatch(/scatter/i);
    expect(last).toMatchObject({ model: 'ember', done: true, done_reason: 'stop' });
    expect(Object.keys(last ?? {})).toEqual(expect.arrayContaining([...statistics, 'total_duration']));
  });

  test('the last object has a message with empty content, because SDKs read it', async () => {
    const { objects } = await postChat(url, sky);
    expect(objects.at(-1)?.message).toEqual({ role: 'assistant', content: '' });
  });

  test('`stream` false: one object with the complete message, equal to the streamed one', async () => {
    const { objects } = await postChat(url, sky);
    const single = await chat(url, sky);
    expect(single).toMatchObject({ done: true, done_reason: 'stop', message: { role: 'assistant' } });
    expect(single.message?.content).toBe(objects.map(({ message }) => message?.content).join(''));
  });
});

describe('loading and unloading', () => {
  test('empty or missing messages load the model', async () => {
    for (const body of [{ messages: [] }, {}]) {
      const { type, objects } = await postChat(url, body);
      expect(type).toBe('application/json; charset=utf-8');
      expect(objects).toEqual([
        {
          model: 'ember',
          created_at: expect.any(String),
          message: { role: 'assistant', content: '' },
          done_reason: 'load',
          done: true,
        },
      ]);
    }
  });

  test('keep_alive 0 unloads it', async () => {
    await chat(url, { messages: [] });
    expect(await chat(url, { messages: [], keep_alive: 0 })).toMatchObject({ done_reason: 'unload', done: true });
    await expect.poll(() => server.runners()).toEqual([]);
  });
});

describe('messages', () => {
  test('the model sees earlier messages', async () => {
    const messages = [user('My name is Anna.'), assistant('Nice to meet you, Anna!'), user('What is my name?')];
    expect((await chat(url, { ...greedy, messages })).message?.content).toContain('Anna');
  });

  test('a system message changes the persona', async () => {
    const messages = [system('You are a pirate named Bill.'), user('Who are you?')];
    expect((await chat(url, { ...greedy, messages })).message?.content).toContain('Bill');
  });

  test('a conversation that ends with an assistant message is continued', async () => {
    const messages = [user('Why is the sky blue?'), assistant('Sunlight is scattered by the')];
    const { message } = await chat(url, { ...greedy, messages });
    expect(message?.content).toMatch(/^ ?air/);
  });

  test('roles and field names are case-insensitive, null counts as absent', async () => {
    const messages = [{ Role: 'USER', content: 'Who are you?', images: null, tool_calls: null, thinking: null }];
    expect((await chat(url, { ...greedy, messages })).message?.content).toContain('Ember');
    const { status } = await postChat(url, { ...greedy, messages: [{ role: 'user', content: null }] });
    expect(status).toBe(200);
  });

  test("the model's system message applies unless the first message is a system message", async () => {
    await addEmberVariant(server.store, 'bill', { system: 'You are a pirate named Bill.' });
    const ask = async (...messages: object[]) =>
      (await chat(url, { model: 'bill', ...greedy, messages })).message?.content;
    expect(await ask(user('Who are you?'))).toContain('Bill');
    expect(await ask(system('You are a cook named Zoe.'), user('Who are you?'))).not.toContain('Bill');
  });

  test("the model's messages come first", async () => {
    const messages = [user('My name is Anna.'), assistant('Nice to meet you, Anna!')];
    await addEmberVariant(server.store, 'knows-anna', { messages });
    const { message } = await chat(url, { model: 'knows-anna', ...greedy, messages: [user('What is my name?')] });
    expect(message?.content).toContain('Anna');
  });
});

describe('a conversation longer than the context', () => {
  const turns = Array.from({ length: 40 }, (_, index) => [
    user(`What is ${index} + 1?`),
    assistant(`It is ${index + 1}.`),
  ]);
  const messages = [system('Be brief.'), ...turns.flat(), user('What is 2 + 2?')];

  test('drops its oldest messages, no more than needed, and reports it', async () => {
    const { objects, headers } = await postChat(url, {
      messages,
      stream: false,
      options: { temperature: 0, num_ctx: 256 },
    });
    expect(objects[0]?.message?.content).toContain('4');
    expect(Number(headers.get('x-hearth-dropped-messages'))).toBeGreaterThan(10);
    expect(objects[0]?.dropped_messages).toBe(Number(headers.get('x-hearth-dropped-messages')));
    expect([headers.get('x-hearth-dropped-tokens'), objects[0]?.dropped_tokens]).toEqual([null, undefined]);
    expect(objects[0]?.prompt_eval_count).toBeGreaterThan(150);
    expect(objects[0]?.prompt_eval_count).toBeLessThan(256);
    expect(server.log()).toMatch(/dropped the oldest messages .* model=ember:latest dropped=\d+/);
  });

  test('a conversation that fits is complete', async () => {
    const { headers, objects } = await postChat(url, { messages, options: { num_predict: 1 } });
    expect(headers.get('x-hearth-dropped-messages')).toBeNull();
    expect(objects.at(-1)).not.toHaveProperty('dropped_messages');
  });

  test('a last message that is too long alone is truncated by the engine and reported', async () => {
    const long = user(Array.from({ length: 300 }, (_, index) => `${index}`).join(' '));
    const { status, headers, objects } = await postChat(url, {
      messages: [user('Hello'), long],
      options: { num_ctx: 128, num_predict: 1 },
    });
    expect(status).toBe(200);
    expect(headers.get('x-hearth-dropped-messages')).toBe('1');
    expect(Number(headers.get('x-hearth-dropped-tokens'))).toBeGreaterThan(100);
    const dropped_tokens = Number(headers.get('x-hearth-dropped-tokens'));
    expect(objects.at(-1)).toMatchObject({ done: true, dropped_messages: 1, dropped_tokens });
  });
});

describe('tools', () => {
  const withTools = { ...greedy, messages: [weatherQuestion], tools: [weatherTool] };

  test('`stream` false: the message has empty content and tool_calls, done_reason is stop', async () => {
    const response = await chat(url, withTools);
    expect(response).toMatchObject({ done: true, done_reason: 'stop', message: { role: 'assistant', content: '' } });
    expect(response.message?.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_/),
        function: { index: 0, name: 'get_current_weather', arguments: expect.objectContaining({ location: 'Paris' }) },
      },
    ]);
  });

  test('`stream` true: the call is in a separate object before the last one', async () => {
    const { objects } = await postChat(url, withTools);
    const calls = objects.flatMap(({ message }) => message?.tool_calls ?? []);
    expect(calls.map((call) => call.function.name)).toEqual(['get_current_weather']);
    expect(objects.map(({ message }) => message?.content).join('')).toBe('');
    expect(objects.at(-1)).toMatchObject({ done: true, message: { role: 'assistant', content: '' } });
  });

  test('the model answers from the result of a tool', async () => {
    const messages = [
      weatherQuestion,
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { function: { name: 'get_current_weather', arguments: { location: 'Paris', format: 'celsius' } } },
        ],
      },
      { role: 'tool', content: '{"temperature": 21, "condition": "sunny"}', tool_name: 'get_current_weather' },
    ];
    const { message } = await chat(url, { ...withTools, messages });
    expect(message?.content).toMatch(/sunny/);
    expect(message?.content).toContain('21');
    expect(message?.tool_calls).toBeUndefined();
  });

  test('a question that needs no tool is answered with text', async () => {
    const { message } = await chat(url, { ...withTools, messages: [user('Who are you?')] });
    expect(message?.content).toContain('Ember');
    expect(message?.tool_calls).toBeUndefined();
  });

  test('an empty list of tools counts as absent', async () => {
    const { message } = await chat(url, { ...sky, tools: [] });
    expect(message?.content).toMatch(/scatter/i);
  });

  test.each([
    ['nested objects', { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'array' } } } } }],
    ['lists of types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
    ['anyOf', { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }],
    ['no properties', { type: 'object' }],
    ['null', null],
    ['a title and a $schema', { $schema: 'http://json-schema.org/draft-07/schema#', title: 'T', type: 'object' }],
  ])('parameters with %s are accepted', async (_, parameters) => {
    const tools = [{ type: 'function', function: { name: 'do_it', description: null, parameters, strict: true } }];
    const { status } = await postChat(url, { ...withTools, tools, options: { num_predict: 2 } });
    expect(status).toBe(200);
  });

  test('arguments of an earlier call may be JSON text, and a call may have an id', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
    const messages = [
      user('Do it.'),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ];
    expect((await postChat(url, { messages, options: { num_predict: 1 } })).status).toBe(200);
    const broken = { ...call, function: { name: 'f', arguments: '[1]' } };
    const { status, objects } = await postChat(url, { messages: [{ role: 'assistant', tool_calls: [broken] }] });
    expect([status, objects[0]?.error]).toEqual([400, 'the arguments of a tool call must be an object']);
  });

  test('tools for a model without tools in its template: 400', async () => {
    // A template that can less than the one in the weights would not be used.
    await addEmberVariant(server.store, 'plain', { template: '{{ .Prompt }}{{ .Suffix }}' });
    const { status, objects } = await postChat(url, { ...withTools, model: 'plain' });
    expect([status, objects[0]?.error]).toEqual([400, 'plain:latest does not support tools']);
  });

  test('a tool without a name is a 400', async () => {
    const tools = [{ type: 'function', function: { description: 'It has no name.' } }];
    expect((await postChat(url, { ...withTools, tools })).status).toBe(400);
  });

  test('a tool without a function is ignored', async () => {
    const { message } = await chat(url, { ...sky, tools: [{ type: 'function', function: {} }] });
    expect(message?.content).toMatch(/scatter/i);
  });
});

describe('format', () => {
  test('"json": a valid JSON object', async () => {
    const messages = [user('Reply in JSON with keys name and age for Anna who is 31.')];
    const { message } = await chat(url, { ...greedy, messages, format: 'json' });
    expect(JSON.parse(message?.content ?? '')).toMatchObject({ name: 'Anna', age: 31 });
  });

  test('a JSON schema: an answer that follows it, in generate too', async () => {
    const format = {
      type: 'object',
      properties: { mood: { enum: ['happy', 'sad'] }, age: { type: 'integer', minimum: 0, maximum: 120 } },
      required: ['mood', 'age'],
      additionalProperties: false,
    };
    const messages = [user('How are you?')];
    const { message } = await chat(url, { options: { seed: 3, temperature: 1 }, messages, format });
    const { objects } = await post(url, '/api/generate', { model: 'ember', prompt: 'How?', format, stream: false });
    for (const text of [message?.content, objects[0]?.response]) {
      const value = JSON.parse(text ?? '');
      expect(Object.keys(value)).toEqual(['mood', 'age']);
      expect(['happy', 'sad']).toContain(value.mood);
      expect(Number.isInteger(value.age) && value.age >= 0 && value.age <= 120).toBe(true);
    }
  });

  test.each(['xml', 7, ['json'], true])('%j is a 400', async (format) => {
    for (const path of ['/api/chat', '/api/generate']) {
      const { status, text } = await post(url, path, { model: 'ember', prompt: 'a', messages: [user('a')], format });
      expect(status).toBe(400);
      expect(JSON.parse(text).error).toContain('expected "json" or a valid JSON Schema object');
    }
  });

  test('an invalid schema: 400 with the path', async () => {
    const format = { type: 'object', properties: { a: { type: 'text' } } };
    const { status, objects } = await postChat(url, { ...sky, format });
    expect(status).toBe(400);
    expect(objects[0]?.error).toMatch(/properties.a/);
  });

  test('keywords that a grammar cannot enforce are named in a header', async () => {
    const format = { type: 'object', properties: { a: { type: 'array', contains: { type: 'string' } } } };
    const { status, headers } = await postChat(url, { ...sky, format, options: { num_predict: 20 } });
    expect([status, headers.get('x-hearth-unenforced-keywords')]).toEqual([200, 'properties.a.contains']);
  });

  // Two elements, of which each can only be the empty text.
  const schema = {
    type: 'array',
    items: { type: 'string', maxLength: 0 },
    minItems: 2,
    maxItems: 2,
    uniqueItems: true,
  };
  const format = { type: 'json_schema', schema };
  const messages = [user('Name two colors.')];
  test.each([
    ['/api/chat', { messages, format: schema }],
    ['/api/generate', { prompt: 'Name two colors.', format: schema }],
    ['/v1/chat/completions', { messages, response_format: { ...format, json_schema: { name: 'x', schema } } }],
    ['/v1/responses', { input: 'Name two colors.', text: { format: { ...format, name: 'x' } } }],
    ['/v1/messages', { messages, max_tokens: 50, output_config: { format } }],
  ])('%s: the end of a stream names those that the answer violates', async (path, body) => {
    const request = { model: 'ember', stream: true, ...body };
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(request) });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"schema_violations":["uniqueItems"]');
  });
});

describe('errors', () => {
  test('missing and unknown models', async () => {
    const without = await postChat(url, { model: '', messages: [] });
    expect([without.status, without.objects[0]?.error]).toEqual([400, 'model is required']);
    const unknown = await postChat(url, { model: 'nobody', messages: [user('Hi')] });
    expect([unknown.status, unknown.objects[0]?.error]).toEqual([404, "model 'nobody' not found"]);
  });

  test.each([
    ['messages that are not an array', { messages: 'Hi' }],
    ['a message that is not an object', { messages: ['Hi'] }],
    ['content that is not a string', { messages: [{ role: 'user', content: 7 }] }],
    ['tools that are not an array', { messages: [user('Hi')], tools: { a: 1 } }],
  ])('%s: 400', async (_, body) => {
    const { status, objects } = await postChat(url, body);
    expect(status).toBe(400);
    expect(objects[0]?.error).toEqual(expect.any(String));
  });

  test('a template that fails: 500 with the position', async () => {
    await addEmberVariant(server.store, 'broken', {
      template: '{{ range .Messages }}{{ index .Role 99 }}{{ end }}{{ .Suffix }}',
    });
    const { status, objects } = await postChat(url, { model: 'broken', messages: [user('Hi')] });
    expect(status).toBe(500);
    expect(objects[0]?.error).toMatch(/1:\d+/);
  });
});

test('with strict_spec, the last object of a stream has no message', async () => {
  const strict = await startServer({ environment: { HEARTH_STRICT_SPEC: 'true' } });
  try {
    const { objects } = await postChat(strict.url, sky);
    expect(objects.at(-1)).toMatchObject({ done: true });
    expect(objects.at(-1)).not.toHaveProperty('message');
    expect(objects[0]).toHaveProperty('message');
    expect((await chat(strict.url, sky)).message?.content).toMatch(/scatter/i);
  } finally {
    await strict.stop();
  }
});
