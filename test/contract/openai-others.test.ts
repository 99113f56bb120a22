// POST /v1/completions, POST /v1/embeddings, GET /v1/models, POST /v1/systemone: each test name states a rule.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CompletionResponseBody } from '../../src/server/dialects/openai/completions/completions-schema.ts';
import { chatml, post } from '../support/client.ts';
import { eventsOf, postCompletion, postEmbedding } from '../support/openai.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

// The question of a user: the model answers it, and the answer ends.
const sky = { prompt: 'Why is the sky blue?', raw: false, temperature: 0 };
const choicesOf = async (body: Record<string, unknown>): Promise<CompletionResponseBody['choices']> => {
  const { status, text, body: answer } = await postCompletion(url, body);
  if (status !== 200) throw new Error(text);
  return answer.choices;
};
const textOf = async (body: Record<string, unknown>): Promise<string | undefined> => (await choicesOf(body))[0]?.text;
const tokensOf = async (text: string): Promise<number[]> => {
  const { objects } = await post<{ tokens: number[] }>(url, '/api/tokenize', { model: 'ember', text });
  return objects[0]?.tokens ?? [];
};

describe('POST /v1/completions', () => {
  test('one object with choices and usage', async () => {
    const { status, body } = await postCompletion(url, sky);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^cmpl-.+/),
      object: 'text_completion',
      created: expect.any(Number),
      model: 'ember',
      system_fingerprint: expect.any(String),
      choices: [{ index: 0, text: expect.stringMatching(/scatter/i), logprobs: null, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: expect.any(Number) },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  test('streamed: the same text in chunks, the finish reason, usage on request, [DONE]', async () => {
    const { type, text } = await postCompletion(url, { ...sky, stream: true, stream_options: { include_usage: true } });
    const { objects, ended } = eventsOf<CompletionResponseBody>(text);
    expect([type, ended]).toEqual(['text/event-stream', true]);
    expect(objects.pop()).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(objects.at(-1)?.choices[0]).toEqual({ index: 0, text: '', logprobs: null, finish_reason: 'stop' });
    expect(objects.map(({ choices: [choice] }) => choice?.text).join('')).toBe(await textOf(sky));
  });

  test('a prompt longer than the context is refused, not cut; an answer ends when the context is full', async () => {
    const { status, body } = await postCompletion(url, { prompt: 'word '.repeat(300), num_ctx: 128 });
    const error = expect.objectContaining({ type: 'invalid_request_error', code: 'context_length_exceeded' });
    expect([status, body]).toEqual([400, { error }]);
    // The answer must not end by itself.
    const ends = await tokensOf('<|im_end|><|endoftext|>');
    expect(ends).toHaveLength(2);
    const [first] = await choicesOf({
      prompt: 'a b c '.repeat(15),
      raw: true,
      num_ctx: 64,
      logit_bias: Object.fromEntries(ends.map((token) => [String(token), -100])),
      max_tokens: 200,
    });
    expect(first?.finish_reason).toBe('length');
  });

  test('an array of prompts: an answer to each, in order', async () => {
    const prompts = ['Why is the sky blue?', 'Who are you?'];
    const choices = await choicesOf({ ...sky, prompt: prompts, n: 2 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(choices.map(({ text }) => /scatter/i.test(text))).toEqual([true, true, false, false]);
    expect(choices[2]?.text).toContain('Ember');
  });

  test('no template is applied, neither to texts nor to tokens, unless `raw` is false', async () => {
    const prompt = chatml('Who are you?');
    const raw = await textOf({ prompt, temperature: 0 });
    expect(await textOf({ ...sky, prompt: 'Who are you?' })).toBe(raw);
    expect(raw).toContain('Ember');
    const tokens = await tokensOf(prompt);
    expect(await textOf({ ...sky, prompt: tokens })).toBe(raw);
    const both = await choicesOf({ ...sky, prompt: [tokens, tokens], max_tokens: 3 });
    expect(both.map(({ text }) => text)).toEqual([both[0]?.text, both[0]?.text]);
  });

  test('`echo`: the prompt precedes the answer, also for a prompt of tokens', async () => {
    const answer = await textOf({ ...sky, max_tokens: 4 });
    expect(await textOf({ ...sky, max_tokens: 4, echo: true })).toBe(sky.prompt + answer);
    const prompt = chatml('Who are you?');
    const tokens = await tokensOf(prompt);
    expect(await textOf({ ...sky, prompt: tokens, echo: true, max_tokens: 4 })).toMatch(
      /^<\|im_start\|>user\nWho are you\?/,
    );
    const { text } = await postCompletion(url, { ...sky, max_tokens: 4, echo: true, stream: true });
    expect(eventsOf<CompletionResponseBody>(text).objects[0]?.choices[0]?.text).toBe(sky.prompt);
  });

  test('`suffix`: the text after the answer', async () => {
    const { objects } = await post(url, '/api/generate', {
      model: 'ember',
      prompt: 'def add(a, b):\n    return',
      suffix: '\n',
      stream: false,
      options: { temperature: 0, num_predict: 12 },
    });
    const text = await textOf({ prompt: 'def add(a, b):\n    return', suffix: '\n', temperature: 0, max_tokens: 12 });
    expect(text).toBe(objects[0]?.response);
  });

  test('`logprobs`: tokens, their probabilities, the most likely tokens and offsets', async () => {
    const [choice] = await choicesOf({ ...sky, raw: true, logprobs: 2, max_tokens: 6, ignore_eos: true, echo: true });
    const { tokens = [], token_logprobs = [], top_logprobs = [], text_offset = [] } = choice?.logprobs ?? {};
    expect(tokens.join('')).toBe(choice?.text);
    expect(tokens.map((token, index) => choice?.text.startsWith(token, text_offset[index]))).not.toContain(false);
    expect([token_logprobs[0], top_logprobs[0]]).toEqual([null, null]);
    expect(token_logprobs.slice(1).every((value) => value !== null && value <= 0)).toBe(true);
    for (const top of top_logprobs.slice(1)) expect([2, 3]).toContain(Object.keys(top ?? {}).length);
  });

  test.each([
    ['a prompt of the wrong type', { prompt: { text: 'x' } }, 'invalid prompt'],
    ['a list of the wrong type', { prompt: [true] }, 'invalid prompt'],
    ['an unknown token', { prompt: [99_999_999] }, '99999999 is not a token'],
    ['too many answers', { prompt: Array(20).fill('x'), n: 10 }, 'more than'],
  ])('%s is refused', async (_, body, message) => {
    const { status, body: answer } = await postCompletion(url, body);
    expect([status, answer.error?.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('POST /v1/embeddings', () => {
  test('a unit vector per input, in order, with usage', async () => {
    const { status, body } = await postEmbedding(url, { input: ['a fox', 'a river'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', model: 'ember' });
    expect(body.data.map(({ object, index }) => [object, index])).toEqual([
      ['embedding', 0],
      ['embedding', 1],
    ]);
    for (const { embedding } of body.data) expect(Math.hypot(...(embedding as number[]))).toBeCloseTo(1, 4);
    const { objects } = await post<{ embeddings: number[][] }>(url, '/api/embed', { model: 'ember', input: 'a river' });
    expect(body.data[1]?.embedding).toEqual(objects[0]?.embeddings[0]);
    expect(body.usage.prompt_tokens).toBe(body.usage.total_tokens);
    expect(body.usage.prompt_tokens).toBeGreaterThan(2);
  });

  test('`encoding_format` base64: the same numbers as little-endian 32-bit floats', async () => {
    const { body: plain } = await postEmbedding(url, { input: 'a fox' });
    const { body } = await postEmbedding(url, { input: 'a fox', encoding_format: 'base64' });
    const bytes = Buffer.from(body.data[0]?.embedding as string, 'base64');
    const numbers = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    expect(numbers).toEqual(((plain.data[0]?.embedding ?? []) as number[]).map(Math.fround));
  });

  test('input of tokens', async () => {
    const tokens = await tokensOf('a fox');
    const { body: ofText } = await postEmbedding(url, { input: 'a fox' });
    const { body: ofTokens } = await postEmbedding(url, { input: tokens });
    const { body: ofLists } = await postEmbedding(url, { input: [tokens, tokens] });
    expect(ofTokens.data).toEqual(ofText.data);
    expect(ofLists.data.map(({ embedding }) => embedding)).toEqual([
      ofText.data[0]?.embedding,
      ofText.data[0]?.embedding,
    ]);
  });

  test('`dimensions`: truncated and normalized', async () => {
    const { body } = await postEmbedding(url, { input: 'a fox', dimensions: 8 });
    const vector = body.data[0]?.embedding as number[];
    expect([vector.length, Math.hypot(...vector)]).toEqual([8, expect.closeTo(1, 4)]);
  });

  test.each([
    ['no input', {}, 'invalid input'],
    ['an empty list', { input: [] }, 'invalid input'],
    ['mixed types', { input: ['a', 3] }, 'invalid input'],
    ['an unknown format', { input: 'a', encoding_format: 'int8' }, "Invalid value for 'encoding_format' = int8"],
    ['an unknown token', { input: [99_999_999] }, '99999999 is not a token'],
  ])('%s is refused', async (_, body, message) => {
    const { status, body: answer } = await postEmbedding(url, body);
    expect([status, answer.error?.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('GET /v1/models', () => {
  const get = async (path: string) => {
    const response = await fetch(url + path);
    return { status: response.status, body: await response.json() };
  };

  test('a list of all models', async () => {
    const { status, body } = await get('/v1/models');
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list' });
    expect((body as { data: object[] }).data).toContainEqual({
      id: 'ember:latest',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'library',
      type: 'model',
      display_name: 'ember:latest',
      created_at: expect.stringMatching(/^\d{4}-/),
    });
  });

  test('one model by any of its names, with an escaped or plain slash', async () => {
    expect(await get('/v1/models/ember')).toMatchObject({ status: 200, body: { id: 'ember', object: 'model' } });
    await post(url, '/api/copy', { source: 'ember', destination: 'team/ember:small' });
    for (const id of ['team/ember:small', 'team%2Fember:small'])
      expect(await get(`/v1/models/${id}`)).toMatchObject({
        status: 200,
        body: { id: 'team/ember:small', owned_by: 'team' },
      });
  });

  test('an unknown model is a 404, an invalid name a 400', async () => {
    expect(await get('/v1/models/nobody')).toMatchObject({ status: 404, body: { error: { type: 'not_found_error' } } });
    expect(await get('/v1/models/..%2f..')).toMatchObject({ status: 400 });
  });
});

test('an undecodable path is an error in the format of its dialect', async () => {
  const under = async (path: string) => {
    const response = await fetch(server.url + path);
    return [response.status, await response.json()];
  };
  expect(await under('/v1/models/%zz')).toEqual([
    400,
    { error: expect.objectContaining({ type: 'invalid_request_error' }) },
  ]);
  expect(await under('/api/%zz')).toEqual([400, { error: expect.any(String), code: 'bad_request' }]);
});

test('DELETE /v1/models/:id removes a model', async () => {
  const body = JSON.stringify({ source: 'ember', destination: 'team/unwanted' });
  await fetch(`${server.url}/api/copy`, { method: 'POST', body });
  const remove = () => fetch(`${server.url}/v1/models/team/unwanted`, { method: 'DELETE' });
  expect(await (await remove()).json()).toEqual({ id: 'team/unwanted', object: 'model', deleted: true });
  expect((await remove()).status).toBe(404);
});

describe('POST /v1/systemone', () => {
  test('a sentence says what the server does not have; the status is not one after which clients ask again', async () => {
    const body = {
      model: 'jev-latest',
      state: 'It fails.',
      questions: { urgent: { type: 'noul', instructions: 'Is it?' } },
    };
    const response = await fetch(`${url}/v1/systemone`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining('this server has no decision models'),
        type: 'not_found_error',
        param: null,
        code: 'path_not_found',
      },
    });
  });
});
