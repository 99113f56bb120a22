// Requests to SGLang have only fields that it knows, and its answers are read. The fake checks the requests.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Body, post } from '../support/client.ts';
import { postChat } from '../support/openai.ts';
import { type FakeSglang, startFakeSglang } from '../support/remote/fake-sglang.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherTool } from '../support/weather-tool.ts';

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello?' },
];
let sglang: FakeSglang;
let hearth: TestServer;

beforeAll(async () => {
  [sglang, hearth] = await Promise.all([startFakeSglang(), startServer()]);
  await post(hearth.url, '/api/remotes', { name: 'sglang', urls: [sglang.url] });
  const created = await post(hearth.url, '/api/create', { model: 's', from: 'remote://sglang/m', stream: false });
  expect(created.status, created.text).toBe(200);
});
afterEach(() => expect(sglang.problems.splice(0)).toEqual([]));
afterAll(() => Promise.all([hearth?.stop(), sglang?.close()]));

const chat = (body: Body) =>
  post<{ message?: { content: string } }>(hearth.url, '/api/chat', { model: 's', messages, stream: false, ...body });
const lastBody = () => sglang.requests.at(-1)?.body;

test('a chat with every option that SGLang has', async () => {
  const options = {
    temperature: 0.5,
    top_k: 5,
    top_p: 0.9,
    min_p: 0.1,
    repeat_penalty: 1.1,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    seed: 3,
    num_predict: 9,
    stop: ['a', 'b'],
  };
  const { objects, text } = await chat({ options });
  expect(objects[0], text).toMatchObject({
    message: { content: 'Hello' },
    done: true,
    eval_count: 2,
    prompt_eval_count: 7,
  });
  expect(lastBody()).toMatchObject({
    model: 'm',
    top_k: 5,
    min_p: 0.1,
    repetition_penalty: 1.1,
    seed: 3,
    max_tokens: 9,
  });
});

test('tools, their results, and a schema', async () => {
  const call = { function: { name: 'get_weather', arguments: { city: 'Paris' } } };
  const turns = [
    ...messages,
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_name: 'get_weather', content: '12 degrees' },
  ];
  await chat({ messages: turns, tools: [weatherTool] });
  expect(lastBody()).toMatchObject({ tools: [{ function: { name: weatherTool.function.name } }] });
  await chat({ format: { type: 'object', properties: { a: { type: 'integer' } } } });
  expect(lastBody()).toMatchObject({ response_format: { type: 'json_schema' } });
  await chat({ format: 'json' });
  expect(lastBody()).toMatchObject({ response_format: { type: 'json_object' } });
});

test('thinking, and log probabilities', async () => {
  await chat({ think: false });
  await chat({ think: 'high' });
  expect(lastBody()).toMatchObject({ reasoning_effort: 'high' });
  await postChat(hearth.url, { model: 's', messages, logprobs: true, top_logprobs: 3 });
  expect(lastBody()).toMatchObject({ logprobs: true, top_logprobs: 3 });
});

test('an image', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await chat({ messages: [{ role: 'user', content: 'What is it?', images: [pixel] }] });
  expect(JSON.stringify(lastBody()?.['messages'])).toContain('data:image/png;base64,');
});

test('a completion, and tokens', async () => {
  const body = { model: 's', prompt: 'Once', raw: true, stream: false, options: { num_predict: 5 } };
  expect((await post(hearth.url, '/api/generate', body)).objects[0]).toMatchObject({
    response: 'Hello',
    eval_count: 2,
  });
  expect(lastBody()).toMatchObject({ prompt: 'Once', max_tokens: 5 });
  await post(hearth.url, '/api/generate', { ...body, options: {} });
  expect(lastBody()).toMatchObject({ max_tokens: 4096 - 2 - 4 });
  const { text } = await post(hearth.url, '/api/tokenize', { model: 's', text: 'one two three' });
  expect(JSON.parse(text)).toMatchObject({ tokens: [1, 2, 3] });
  const detokenized = await post(hearth.url, '/api/detokenize', { model: 's', tokens: [1, 2, 3] });
  expect(detokenized.text).toContain('one two three');
});

test('keep_alive 0 releases its memory, and the next request takes it back first', async () => {
  await post(hearth.url, '/api/generate', { model: 's', keep_alive: 0 });
  await expect.poll(() => sglang.requests.at(-1)?.path).toBe('/release_memory_occupation');
  await chat({});
  expect(sglang.requests.slice(-2).map(({ path }) => path)).toEqual([
    '/resume_memory_occupation',
    '/v1/chat/completions',
  ]);
});
