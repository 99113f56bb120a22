// `logprobs` and `top_logprobs`, natively and in the OpenAI dialect; `shift` and `truncate`; `think`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogprobBody } from '../../src/server/dialects/shared/logprobs-schema.ts';
import { chat, generate, post, postChat } from '../support/client.ts';
import { eventsOf, postChat as postOpenAi } from '../support/openai.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const prompt = 'Why is the sky blue?';
const messages = [{ role: 'user', content: prompt }];
const options = { temperature: 0, num_predict: 8 };
const textIn = (logprobs: readonly LogprobBody[] = []): string =>
  Buffer.from(logprobs.flatMap(({ bytes }) => bytes)).toString();

describe('logprobs', () => {
  test('generate: an entry per token, whose bytes make up the text', async () => {
    const { response, logprobs = [], eval_count } = await generate(url, { prompt, options, logprobs: true });
    expect(logprobs).toHaveLength(eval_count as number);
    expect(textIn(logprobs)).toBe(response);
    for (const entry of logprobs) {
      expect(Object.keys(entry).sort()).toEqual(['bytes', 'logprob', 'token']);
      expect(entry.logprob).toBeLessThanOrEqual(0);
      expect(Buffer.from(entry.bytes).toString()).toBe(entry.token);
    }
  });

  test('chat: each entry has the most likely tokens; greedy sampling chooses the first', async () => {
    const greedy = { ...options, repeat_penalty: 1 };
    const { message, logprobs = [] } = await chat(url, { messages, options: greedy, logprobs: true, top_logprobs: 3 });
    expect(textIn(logprobs)).toBe(message?.content);
    for (const { token, logprob, top_logprobs = [] } of logprobs) {
      expect(top_logprobs).toHaveLength(3);
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
      expect(top_logprobs.map((top) => top.logprob)).toEqual(
        top_logprobs.map((top) => top.logprob).sort((a, b) => b - a),
      );
      expect(top_logprobs.reduce((sum, top) => sum + Math.exp(top.logprob), 0)).toBeLessThanOrEqual(1.001);
    }
  });

  test('streamed: each chunk has the entries of its text', async () => {
    const { objects } = await postChat(url, { messages, options, logprobs: true });
    for (const { message, logprobs } of objects.slice(0, -1)) expect(textIn(logprobs)).toBe(message?.content);
  });

  test('tokens removed by a stop sequence are not reported', async () => {
    const { response: whole } = await generate(url, { prompt, options });
    const stop = [whole.slice(5, 9)];
    const { response, logprobs } = await generate(url, { prompt, options: { ...options, stop }, logprobs: true });
    expect(response).toBe(whole.slice(0, 5));
    expect(textIn(logprobs).startsWith(response)).toBe(true);
    expect(textIn(logprobs).length).toBeLessThan(response.length + 8);
  });

  test('in the OpenAI dialect, streamed or not', async () => {
    const body = { messages, temperature: 0, max_tokens: 8, logprobs: true, top_logprobs: 2 };
    const { body: answer } = await postOpenAi(url, body);
    const content = answer.choices[0]?.logprobs?.content ?? [];
    expect(textIn(content)).toBe(answer.choices[0]?.message.content);
    expect(content.every(({ top_logprobs }) => top_logprobs.length === 2)).toBe(true);
    const { text } = await postOpenAi(url, { ...body, stream: true });
    const streamed = eventsOf(text).objects.flatMap(({ choices: [choice] }) => choice?.logprobs?.content ?? []);
    expect(streamed).toEqual(content);
  });

  test('are absent by default, and limited to 20', async () => {
    expect(await generate(url, { prompt, options })).not.toHaveProperty('logprobs');
    for (const top_logprobs of [21, -1]) {
      const { status, objects } = await postChat(url, { messages, logprobs: true, top_logprobs });
      expect([status, objects[0]?.error]).toEqual([400, 'top_logprobs must be between 0 and 20']);
    }
  });
});

describe('shift and truncate', () => {
  const long = 'fox river king garden moon '.repeat(40);
  const small = { num_ctx: 64, temperature: 0 };

  test('`truncate` false: a prompt longer than the context is a 400, in generate and in chat', async () => {
    expect((await post(url, '/api/generate', { model: 'ember', prompt: long, options: small })).status).toBe(200);
    const inGenerate = await post(url, '/api/generate', {
      model: 'ember',
      prompt: long,
      options: small,
      truncate: false,
    });
    const conversation = Array.from({ length: 9 }, () => [
      { role: 'user', content: 'Hello there!' },
      { role: 'assistant', content: 'Hello!' },
    ]).flat();
    const body = { messages: [...conversation, ...messages], options: small };
    expect((await postChat(url, body)).status).toBe(200);
    const inChat = await postChat(url, { ...body, truncate: false });
    for (const { status, objects } of [inGenerate, inChat])
      expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining('longer than the context')]);
  });

  test('`shift` false: the answer ends when the context is full', async () => {
    const story = { prompt: 'Tell me a very long story.', options: { ...small, num_predict: 120, seed: 1 } };
    const shifted = await generate(url, story);
    const ended = await generate(url, { ...story, shift: false });
    expect(ended.done_reason).toBe('length');
    expect((ended.prompt_eval_count as number) + (ended.eval_count as number)).toBeLessThanOrEqual(65);
    expect((shifted.prompt_eval_count as number) + (shifted.eval_count as number)).toBeGreaterThan(65);
  });

  test('`shift` false: a prompt longer than the context is a 400', async () => {
    const body = { model: 'ember', prompt: long, options: small, shift: false };
    const { status, objects } = await post(url, '/api/generate', body);
    expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining('longer than the context')]);
  });
});

describe('think', () => {
  test('false or null has no effect on a model without thinking', async () => {
    const { message } = await chat(url, { messages, options });
    for (const think of [false, null]) expect((await chat(url, { messages, options, think })).message).toEqual(message);
  });

  test.each([
    [true, '"ember" does not support thinking'],
    ['low', '"ember" does not support thinking'],
    ['', 'invalid think value: "" (must be "high", "medium", "low", "max", true, or false)'],
    ['loud', 'invalid think value: "loud" (must be "high", "medium", "low", "max", true, or false)'],
    [3, 'think must be a boolean or string ("high", "medium", "low", "max", true, or false)'],
  ])('%j is refused', async (think, message) => {
    const { status, objects } = await postChat(url, { messages, think });
    expect([status, objects[0]?.error]).toEqual([400, message]);
  });
});
