// A real llama-server behind Hearth. One has Ember. Two have Ember without an end, for answers that last until something
// ends them. npm run test:llama-server says where the program comes from.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLlamaServer, type LlamaServer, startLlamaServer } from '../../bench/llama-server.ts';
import { messageEventsOf, postMessages } from '../support/anthropic.ts';
import { post } from '../support/client.ts';
import { endlessEmber } from '../support/models/endless-ember.ts';
import {
  eventsOf,
  postChat,
  postCompletion,
  postEmbedding,
  postResponse,
  responseEventsOf,
} from '../support/openai.ts';
import { repository } from '../support/repository.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { createRemoteFixture, hello, type RemoteFixture, streamTogether } from './remote-fixture.ts';

const key = 'a-key-of-llama-server';
const contextLength = 4096;
const messages = hello;
const short = { num_predict: 8, temperature: 0 };
const long = { num_predict: 3000, temperature: 0 };

let fixture: RemoteFixture;
let url: string;
let plain: LlamaServer;
let first: LlamaServer;
let second: LlamaServer;

beforeAll(async () => {
  fixture = await createRemoteFixture({ key, servedModel: 'ember', timeout: '15s' });
  url = fixture.server.url;
  const program = findLlamaServer() ?? 'llama-server';
  const start = (model: string, ...flags: string[]) => {
    const extra = ['--alias', 'ember', '--api-key', key, '-t', '1', ...flags];
    return startLlamaServer({ program, model, contextLength, parallel: 4, extra });
  };
  const endless = join(fixture.folder, 'endless.gguf');
  writeFileSync(endless, endlessEmber());
  const ember = repository('models/ember-q4_k_m.gguf');
  [plain, first, second] = await Promise.all([
    start(ember, '--embeddings', '--pooling', 'mean'),
    start(endless),
    start(endless),
  ]);
  await fixture.addRemote('plain', [plain.url]);
  await fixture.addRemote('endless', [first.url]);
  await fixture.addRemote('pair', [first.url, second.url]);
});
afterAll(() => Promise.all([fixture?.close(), plain?.stop(), first?.stop(), second?.stop()]));

/** What llama-server itself answers. */
async function askDirectly<Response>(server: LlamaServer, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  return (await (await fetch(server.url + path, init)).json()) as Response;
}

interface Slot {
  readonly is_processing: boolean;
  readonly params: Readonly<Record<string, unknown>>;
}
const busySlots = async (server: LlamaServer) =>
  (await askDirectly<Slot[]>(server, '/slots')).filter((slot) => slot.is_processing);

test('it is recognized, with the length of its context', async () => {
  const { text } = await post(url, '/api/remotes/plain/check', {});
  const [endpoint] = JSON.parse(text).endpoints;
  expect(endpoint).toMatchObject({ kind: 'llama-server', models: [{ id: 'ember', context_length: contextLength }] });
  const { objects } = await post<{ capabilities: string[] }>(url, '/api/show', { model: 'plain' });
  expect(objects[0]?.capabilities).toEqual(expect.arrayContaining(['completion', 'tools', 'embedding']));
});

describe('answers', () => {
  test('a chat has the text and the counts of llama-server, streamed and not', async () => {
    const body = { model: 'ember', messages, max_tokens: 8, temperature: 0 };
    interface Completion {
      readonly choices: readonly { readonly message: { readonly content: string } }[];
      readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
    }
    const { choices, usage } = await askDirectly<Completion>(plain, '/v1/chat/completions', body);
    const counts = { prompt_eval_count: usage.prompt_tokens, eval_count: usage.completion_tokens };
    const { objects } = await fixture.ask({ model: 'plain', options: short });
    expect(objects[0]).toMatchObject({ done: true, ...counts, message: choices[0]?.message });
    const lines = await fixture.stream({ model: 'plain', options: short });
    expect(lines.map(({ message }) => message?.content).join('')).toBe(choices[0]?.message.content);
    expect(lines.at(-1)).toMatchObject({ done: true, ...counts });
  });

  test('generate works with the template of llama-server and without one', async () => {
    const counts = [false, true].map(async (raw) => {
      const body = { model: 'plain', prompt: 'Once upon a time', raw, stream: false, options: short };
      const { status, objects, text } = await post(url, '/api/generate', body);
      expect(status, text).toBe(200);
      expect(objects[0]).toMatchObject({ done: true, eval_count: expect.any(Number) });
      return objects[0]?.prompt_eval_count ?? 0;
    });
    const [chat = 0, bare = 0] = await Promise.all(counts);
    expect(chat).toBeGreaterThan(bare);
  });

  test('the dialect of OpenAI has chats, completions and responses, with their usage', async () => {
    const usage = { completion_tokens: 8, prompt_tokens: expect.any(Number) };
    const limit = { model: 'endless', max_tokens: 8 };
    const chat = await postChat(url, { ...limit, messages });
    expect(chat.body.usage).toMatchObject(usage);
    const streaming = { stream: true, stream_options: { include_usage: true } };
    const { objects, ended } = eventsOf((await postChat(url, { ...limit, messages, ...streaming })).text);
    expect(ended).toBe(true);
    expect(objects.at(-1)?.usage).toMatchObject(usage);
    expect(objects.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).not.toBe('');
    const completion = await postCompletion(url, { ...limit, prompt: 'Once upon a time' });
    expect(completion.body.usage).toMatchObject(usage);
    const response = { model: 'endless', input: 'Say hello.', max_output_tokens: 8 };
    expect((await postResponse(url, response)).body.usage).toMatchObject({ output_tokens: 8 });
    const events = responseEventsOf((await postResponse(url, { ...response, stream: true })).text);
    expect(events.at(-1)?.type).toBe('response.incomplete');
  });

  test('the dialect of Anthropic has messages, streamed and not', async () => {
    const body = { model: 'endless', messages, max_tokens: 8 };
    const { body: message } = await postMessages(url, body);
    expect(message.usage.output_tokens).toBe(8);
    const { text } = await postMessages(url, { ...body, stream: true });
    expect(messageEventsOf(text).at(-1)?.type).toBe('message_stop');
  });

  test('a tool is called if the model wants it, and if the request requires it', async () => {
    const body = { model: 'plain', messages: [weatherQuestion], tools: [weatherTool] };
    const { name } = weatherTool.function;
    const { objects } = await fixture.ask({ ...body, options: { temperature: 0 } });
    expect(objects[0]?.message?.tool_calls?.[0]?.function).toMatchObject({
      name,
      arguments: { location: expect.any(String), format: expect.stringMatching(/^(celsius|fahrenheit)$/) },
    });
    for (const tool_choice of ['required', { type: 'function', function: { name } }]) {
      const required = await postChat(url, { ...body, tool_choice, temperature: 0, max_tokens: 200 });
      const call = required.body.choices[0]?.message.tool_calls?.[0];
      expect(call?.function.name, required.text).toBe(name);
      expect(JSON.parse(call?.function.arguments ?? '')).toMatchObject({ location: expect.any(String) });
    }
  });

  test('the result of a tool is a part of the conversation', async () => {
    const called = {
      function: { name: weatherTool.function.name, arguments: { location: 'Paris', format: 'celsius' } },
    };
    const conversation = [
      weatherQuestion,
      { role: 'assistant', content: '', tool_calls: [called] },
      { role: 'tool', tool_name: weatherTool.function.name, content: '21 degrees' },
    ];
    const body = { model: 'plain', messages: conversation, tools: [weatherTool], options: short };
    const { status, text } = await fixture.ask(body);
    expect(status, text).toBe(200);
  });

  test('a schema and a grammar are held', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
    const held = await fixture.ask({ model: 'plain', format: schema, options: { temperature: 0 } });
    expect(JSON.parse(held.objects[0]?.message?.content ?? '')).toEqual({ ok: expect.any(Boolean) });
    const format = { type: 'gbnf', grammar: 'root ::= ("yes" | "no") "."' };
    const matched = await fixture.ask({ model: 'plain', format, options: { temperature: 0 } });
    expect(matched.objects[0]?.message?.content).toMatch(/^(yes|no)\.$/);
  });

  test('each token has its log probability, in chats and in completions', async () => {
    const limits = { model: 'endless', logprobs: true, top_logprobs: 2, options: short };
    const chat = await fixture.ask(limits);
    const completion = await post(url, '/api/generate', { ...limits, prompt: 'Once', raw: true, stream: false });
    for (const { objects } of [chat, completion]) {
      const { logprobs = [] } = objects[0] ?? {};
      expect(logprobs).toHaveLength(8);
      for (const { logprob, top_logprobs } of logprobs) {
        expect(logprob).toBeLessThanOrEqual(0);
        expect(top_logprobs).toHaveLength(2);
      }
    }
  });
});

test('embeddings are those of llama-server, and a server without them says so', async () => {
  const input = ['a fox', 'a hen'];
  interface Embedded {
    readonly data: readonly { readonly embedding: readonly number[] }[];
  }
  const direct = await askDirectly<Embedded>(plain, '/v1/embeddings', { model: 'ember', input });
  const { objects } = await post<{ embeddings: number[][] }>(url, '/api/embed', { model: 'plain', input });
  const { body } = await postEmbedding(url, { model: 'plain', input });
  for (const [index, { embedding }] of direct.data.entries())
    for (const [place, value] of embedding.entries()) {
      expect(objects[0]?.embeddings[index]?.[place]).toBeCloseTo(value, 4);
      expect(Number(body.data[index]?.embedding[place])).toBeCloseTo(value, 4);
    }
  const refused = await post(url, '/api/embed', { model: 'endless', input });
  expect([refused.status, refused.objects[0]?.error]).toEqual([
    400,
    expect.stringContaining('the remote "endless" refused the request: This server does not support embeddings'),
  ]);
});

test('texts have the tokens that the same model has here', async () => {
  const text = 'A fox & <|im_end|> ünïcödé';
  const tokensOf = async (model: string) =>
    (await post<{ tokens: number[] }>(url, '/api/tokenize', { model, text })).objects[0]?.tokens;
  const tokens = await tokensOf('plain');
  expect(tokens).toEqual(await tokensOf('ember'));
  const back = await post<{ text: string }>(url, '/api/detokenize', { model: 'plain', tokens });
  expect(back.objects[0]?.text).toBe(text);
});

test('options arrive with their values, and none is named as ignored', async () => {
  const options = {
    ...long,
    top_k: 30,
    top_p: 0.5,
    min_p: 0.125,
    typical_p: 0.75,
    seed: 7,
    repeat_last_n: 32,
    repeat_penalty: 1.25,
    presence_penalty: 0.5,
    frequency_penalty: 0.25,
    mirostat: 2,
    mirostat_tau: 4,
    mirostat_eta: 0.25,
    num_keep: 3,
  };
  const controller = new AbortController();
  const init = { method: 'POST', signal: controller.signal };
  const body = JSON.stringify({ model: 'endless', messages, options });
  const response = await fetch(`${url}/api/chat`, { ...init, body });
  await response.body?.getReader().read();
  const [slot] = await busySlots(first);
  controller.abort();
  expect(response.headers.get('x-hearth-ignored')).toBeNull();
  const { num_predict: max_tokens, num_keep: n_keep, ...others } = options;
  expect(slot?.params).toMatchObject({ ...others, max_tokens, n_keep });
});

describe('failures', () => {
  test('a prompt that is too long is the fault of the caller', async () => {
    const content = 'word '.repeat(2 * contextLength);
    const { status, text } = await fixture.ask({ model: 'plain', messages: [{ role: 'user', content }] });
    expect(status, text).toBe(400);
    expect(text).toMatch(/the remote \\"plain\\" refused the request: .*context size/);
  });

  test('a wrong key is not the fault of the caller', async () => {
    await fixture.addRemoteWithWrongKey('denied', plain.url);
    const { status, objects } = await fixture.ask({ model: 'denied' });
    expect([status, objects[0]?.error]).toEqual([
      502,
      'the remote "denied" denied access: its key is missing or wrong',
    ]);
  });

  test('a model that llama-server does not have cannot be created', async () => {
    const { status, objects } = await fixture.create('wrong', 'remote://plain/nobody');
    expect([status, objects[0]?.error]).toEqual([
      400,
      'the remote "plain" does not have the model "nobody"; it has ember',
    ]);
  });

  test('a caller that leaves frees the slot', async () => {
    const controller = new AbortController();
    let busy = 0;
    const leave = async (): Promise<void> => {
      busy = (await busySlots(first)).length;
      controller.abort();
    };
    const events = { onBegin: () => void leave(), signal: controller.signal };
    await expect(fixture.stream({ model: 'endless', options: long }, events)).rejects.toThrow();
    expect(busy).toBeGreaterThan(0);
    await expect.poll(async () => (await busySlots(first)).length).toBe(0);
  });

  test('of two servers, one that is killed ends only its own answers, and is replaced for all others', async () => {
    const bodies = Array.from({ length: 4 }, (_, index) => ({
      model: 'pair',
      messages: [{ role: 'user', content: `question ${index}` }],
      options: { ...long, num_predict: 600 },
    }));
    const ends = await streamTogether(fixture, bodies, () => first.signal('SIGKILL'));
    const broken = ends.filter((end) => end?.error !== undefined);
    expect(broken.length).toBeGreaterThan(0);
    for (const end of broken) expect(end?.error).toMatch(/^the remote "pair" /);
    for (const end of ends) if (!broken.includes(end)) expect(end).toMatchObject({ done: true, eval_count: 600 });
    const later = await Promise.all(bodies.map((body) => fixture.ask({ ...body, options: short })));
    expect(later.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  });

  test('a server that is told to end during an answer, and sends nothing from then on, is given up', async () => {
    const events = { onBegin: () => second.signal('SIGTERM') };
    const end = (await fixture.stream({ model: 'pair', options: long }, events)).at(-1);
    expect(end?.error).toMatch(/^the remote "pair" /);
  });
});
