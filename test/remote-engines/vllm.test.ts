// A real vLLM behind Hearth: two servers with keys, and a model of random weights. What it says has no meaning, so the
// tests look at forms, numbers and errors.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageEventsOf, postMessages } from '../support/anthropic.ts';
import { endlessLlama, writeFiles } from '../support/checkpoints/checkpoints.ts';
import { post } from '../support/client.ts';
import { eventsOf, postChat, postCompletion, postResponse } from '../support/openai.ts';
import { createRemoteFixture, hello, type RemoteFixture, streamTogether } from './remote-fixture.ts';
import { startVllm, type VllmServer } from './start-vllm.ts';

const key = 'a-key-of-vllm';
const servedModel = 'tiny';
const contextLength = 1024;
const messages = hello;
const short = { num_predict: 8, temperature: 0 };
const long = { num_predict: 900, temperature: 0 };
/** A model without a meaning puts many spaces between the words that a schema demands. */
const lively = { num_predict: 900, temperature: 2 };
const flags = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};
const tool = { type: 'function', function: { name: 'report', description: 'Reports a fact', parameters: flags } };

let fixture: RemoteFixture;
let url: string;
let first: VllmServer;
let second: VllmServer;

beforeAll(async () => {
  fixture = await createRemoteFixture({ key, servedModel, timeout: '20s' });
  url = fixture.server.url;
  const model = join(fixture.folder, 'model');
  writeFiles(model, endlessLlama());
  const start = (processor: number) => startVllm({ model, servedModel, contextLength, processor, key });
  [first, second] = await Promise.all([start(0), start(1)]);
  await fixture.addRemote('one', [first.url]);
  await fixture.addRemote('two', [second.url]);
  await fixture.addRemote('pair', [first.url, second.url]);
});
afterAll(() => Promise.all([fixture?.close(), first?.stop(), second?.stop()]));

test('it is recognized, with the length of its context', async () => {
  const { text } = await post(url, '/api/remotes/one/check', {});
  const [endpoint] = JSON.parse(text).endpoints;
  expect(endpoint).toMatchObject({ kind: 'vllm', models: [{ id: servedModel, context_length: contextLength }] });
  expect(endpoint.features).toEqual(expect.arrayContaining(['chat', 'completions', 'tokenize', 'sleep']));
});

describe('answers', () => {
  test('a chat has the counts of vLLM, streamed and not', async () => {
    const { objects, text } = await fixture.ask({ model: 'one', options: short });
    expect(objects[0], text).toMatchObject({ done: true, eval_count: 8, done_reason: 'length' });
    expect(objects[0]?.prompt_eval_count).toBeGreaterThan(0);
    const lines = await fixture.stream({ model: 'one', options: short });
    expect(lines.at(-1)).toMatchObject({ done: true, eval_count: 8 });
  });

  test('a completion without a limit is about as long as the context allows', async () => {
    const body = { model: 'one', prompt: 'hello', raw: true, stream: false };
    const limited = await post(url, '/api/generate', { ...body, options: short });
    expect(limited.objects[0], limited.text).toMatchObject({ done: true, eval_count: 8 });
    const { objects, text } = await post(url, '/api/generate', { ...body, options: { temperature: 0 } });
    expect(objects[0]?.eval_count, text).toBeGreaterThan(0.9 * contextLength);
  });

  test('the other dialects answer, with their usage', async () => {
    const limit = { model: 'one', max_tokens: 4, temperature: 0 };
    const chat = await postChat(url, { ...limit, messages });
    expect(chat.body.usage).toMatchObject({ completion_tokens: 4 });
    const streaming = { stream: true, stream_options: { include_usage: true } };
    const { objects, ended } = eventsOf((await postChat(url, { ...limit, messages, ...streaming })).text);
    expect(ended).toBe(true);
    expect(objects.at(-1)?.usage).toMatchObject({ completion_tokens: 4 });
    const completion = await postCompletion(url, { ...limit, prompt: 'hello' });
    expect(completion.body.usage).toMatchObject({ completion_tokens: 4 });
    const response = await postResponse(url, { model: 'one', input: 'hello', max_output_tokens: 16, temperature: 0 });
    expect(response.body.usage).toMatchObject({ output_tokens: 16 });
    const { text } = await postMessages(url, { ...limit, messages, stream: true });
    expect(messageEventsOf(text).at(-1)?.type).toBe('message_stop');
  });

  test('each token has its log probability, in chats and in completions', async () => {
    const limits = { model: 'one', logprobs: true, top_logprobs: 2, options: short };
    const chat = await fixture.ask(limits);
    const completion = await post(url, '/api/generate', { ...limits, prompt: 'hello', raw: true, stream: false });
    for (const { objects, text } of [chat, completion]) {
      const { logprobs = [] } = objects[0] ?? {};
      expect(logprobs, text).toHaveLength(8);
      for (const { logprob, top_logprobs } of logprobs) {
        expect(logprob).toBeLessThanOrEqual(0);
        expect(top_logprobs).toHaveLength(2);
      }
    }
  });

  test('a schema and a grammar are held', async () => {
    const held = await fixture.ask({ model: 'one', format: flags, options: lively });
    expect(JSON.parse(held.objects[0]?.message?.content ?? ''), held.text).toEqual({ ok: expect.any(Boolean) });
    const format = { type: 'gbnf', grammar: 'root ::= ("yes" | "no") "."' };
    const matched = await fixture.ask({ model: 'one', format, options: lively });
    expect(matched.objects[0]?.message?.content, matched.text).toMatch(/^(yes|no)\.$/);
  });

  test('a required tool is called with arguments that follow its schema', async () => {
    const { name } = tool.function;
    for (const tool_choice of ['required', { type: 'function', function: { name } }]) {
      const body = { model: 'one', messages, tools: [tool], tool_choice, max_tokens: 900, temperature: 2 };
      const reply = await postChat(url, body);
      const call = reply.body.choices?.[0]?.message.tool_calls?.[0];
      expect(call?.function.name, reply.text).toBe(name);
      expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ ok: expect.any(Boolean) });
    }
  });

  test('texts come back from their tokens', async () => {
    const { objects } = await post<{ tokens: number[] }>(url, '/api/tokenize', { model: 'one', text: 'hello world' });
    const { tokens = [] } = objects[0] ?? {};
    expect(tokens).toHaveLength(2);
    const back = await post<{ text: string }>(url, '/api/detokenize', { model: 'one', tokens });
    expect(back.objects[0]?.text).toBe('hello world');
  });
});

describe('failures', () => {
  test('options that vLLM does not have are named', async () => {
    const { headers } = await fixture.ask({ model: 'one', options: { ...short, mirostat: 2, top_k: 5 } });
    expect(headers.get('x-hearth-ignored')).toBe('mirostat');
  });

  test('a prompt that is too long is the fault of the caller', async () => {
    const content = 'x y '.repeat(contextLength);
    const { status, text } = await fixture.ask({ model: 'one', messages: [{ role: 'user', content }], options: short });
    expect(status, text).toBe(400);
    expect(text).toMatch(/the remote \\"one\\" refused the request: .*context length/);
  });

  test('a wrong key is not the fault of the caller', async () => {
    await fixture.addRemoteWithWrongKey('denied', first.url);
    const { status, objects } = await fixture.ask({ model: 'denied' });
    expect([status, objects[0]?.error]).toEqual([
      502,
      'the remote "denied" denied access: its key is missing or wrong',
    ]);
  });

  test('a model that vLLM does not have cannot be created', async () => {
    const { status, objects } = await fixture.create('wrong', 'remote://one/nobody');
    expect([status, objects[0]?.error]).toEqual([
      400,
      'the remote "one" does not have the model "nobody"; it has tiny',
    ]);
  });

  test('a caller that leaves ends the work of vLLM', async () => {
    const running = () => first.metric('vllm:num_requests_running');
    const controller = new AbortController();
    const events = { onBegin: () => controller.abort(), signal: controller.signal };
    await expect(fixture.stream({ model: 'one', options: long }, events)).rejects.toThrow();
    await expect.poll(running).toBe(0);
  });

  test('an engine that this server puts to sleep is woken by the next request', async () => {
    await post(url, '/api/generate', { model: 'one', keep_alive: 0 });
    const isSleeping = async () => (await (await fetch(`${first.url}/is_sleeping`)).json()) as unknown;
    await expect.poll(isSleeping).toEqual({ is_sleeping: true });
    const { status, text } = await fixture.ask({ model: 'one', options: short });
    expect(status, text).toBe(200);
  });

  test('an engine that others put to sleep is given up, and woken by the next request', async () => {
    expect((await fetch(`${first.url}/sleep?level=1`, { method: 'POST' })).status).toBe(200);
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    const given = await fixture.ask({ model: 'one', options: short });
    expect([given.status, given.objects[0]?.error]).toEqual([504, 'the remote "one" sent nothing for 20 seconds']);
    const { status, text } = await fixture.ask({ model: 'one', options: short });
    expect(status, text).toBe(200);
  });

  test('of two servers, one that is killed ends only its own answers, and is replaced for all others', async () => {
    const bodies = Array.from({ length: 4 }, (_, index) => ({
      model: 'pair',
      messages: [{ role: 'user', content: `question ${index}` }],
      options: long,
    }));
    // The first answer of a server takes seconds, in which those of the other one would end.
    for (const model of ['one', 'two']) await fixture.ask({ model, options: short });
    const ends = await streamTogether(fixture, bodies, () => first.signal('SIGKILL'));
    const broken = ends.filter((end) => end?.error !== undefined);
    expect(broken.length).toBeGreaterThan(0);
    for (const end of broken) expect(end?.error).toMatch(/^the remote "pair" /);
    for (const end of ends) if (!broken.includes(end)) expect(end).toMatchObject({ done: true, eval_count: 900 });
    const later = await Promise.all(bodies.map((body) => fixture.ask({ ...body, options: short })));
    expect(later.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  });

  // It has been seen to end the answer as aborted, to send an error, to close the connection, and to send nothing.
  test('an answer of a server that is told to end is not taken for a complete one', async () => {
    const events = { onBegin: () => second.signal('SIGTERM') };
    const end = (await fixture.stream({ model: 'pair', options: long }, events)).at(-1);
    expect(end?.error, JSON.stringify(end)).toMatch(/^the remote "pair" /);
  });
});
