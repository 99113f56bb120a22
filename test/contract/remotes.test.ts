// Models that another server runs, through every dialect. The other server is a real one, as an Ollama and as an OpenAI
// endpoint: each test name states a rule.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CheckRemoteResponseBody } from '../../src/features/remotes/remotes-schema.ts';
import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import type { TagsResponseBody } from '../../src/server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { messageEventsOf, postMessages } from '../support/anthropic.ts';
import { type Body, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { postChat, postCompletion, postResponse } from '../support/openai.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';

/** Runs the models. It needs a key. */
let far: TestServer;
/** Has only remote models besides its own, and needs none. */
let near: TestServer;
let key = '';
let keyFile = '';
let keyFolder = '';

const hi = [{ role: 'user', content: 'Say hello.' }];
/** An answer in this format is long. */
const endless = { type: 'array', items: { type: 'integer' }, minItems: 1500 };
const short = { num_predict: 8, temperature: 0 };
const addRemote = (body: Body) => post(near.url, '/api/remotes', { urls: [far.url], ...body });
const create = (model: string, from: string, more: Body = {}) =>
  post(near.url, '/api/create', { model, from, stream: false, ...more });
const chat = async (body: Body, server = near, init: RequestInit = {}) =>
  post<ChatResponseBody>(server.url, '/api/chat', { messages: hi, stream: false, options: short, ...body }, init);
const get = async <Response>(path: string, server = near): Promise<Response> => {
  const response = await fetch(server.url + path, {
    headers: server === far ? { authorization: `Bearer ${key}` } : {},
  });
  return (await response.json()) as Response;
};

beforeAll(async () => {
  const environment = { HEARTH_MODEL_ALIASES: 'steady=gone,as-nothing,as-ollama,ember;trial=ember*1,as-ollama*1' };
  [far, near] = await Promise.all([startServer(), startServer({ environment })]);
  const created = await post<{ key: string }>(far.url, '/api/keys', { name: 'near', scope: 'admin' });
  key = created.objects[0]?.key ?? '';
  keyFile = join(dirname(near.store), 'far.key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  keyFolder = join(dirname(near.store), '.hearth/remote-keys');
  await addRemote({ name: 'as-ollama', key });
  writeFileSync(join(keyFolder, 'far.key'), key, { mode: 0o600 });
  await addRemote({ name: 'as-openai', key_file: 'far.key', kind: 'openai' });
  for (const remote of ['as-ollama', 'as-openai'])
    expect((await create(remote, `remote://${remote}/ember`)).status).toBe(200);
});
afterAll(() => Promise.all([far.stop(), near.stop()]));

describe.each(['as-ollama', 'as-openai'])('%s', (model) => {
  test('a chat has the counts of the server that runs the model', async () => {
    const { status, objects } = await chat({ model });
    const direct = await chat({ model: 'ember' }, far, { headers: { authorization: `Bearer ${key}` } });
    expect(status).toBe(200);
    expect(objects[0]).toMatchObject({ model, remote_model: 'ember', remote_host: model, done: true });
    expect(objects[0]?.eval_count).toBeGreaterThan(0);
    expect(objects[0]?.prompt_eval_count).toBe(direct.objects[0]?.prompt_eval_count);
    expect(objects[0]?.message?.content).not.toBe('');
  });

  test('a stream has parts and an end', async () => {
    const { objects } = await chat({ model, stream: true });
    expect(objects.length).toBeGreaterThan(1);
    expect(objects.at(-1)).toMatchObject({ done: true, done_reason: expect.any(String) });
  });

  test('generate works with the template of the other server and without one', async () => {
    for (const raw of [false, true]) {
      const body = { model, prompt: 'Once upon a time', raw, stream: false, options: short };
      const { status, objects } = await post(near.url, '/api/generate', body);
      expect(status).toBe(200);
      expect(objects[0]?.eval_count).toBeGreaterThan(0);
    }
  });

  test('a schema is held', async () => {
    const format = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
    const { objects } = await chat({ model, format, options: { temperature: 0 } });
    expect(JSON.parse(objects[0]?.message?.content ?? '')).toEqual({ ok: expect.any(Boolean) });
  });

  test('log probabilities are those of the other server', async () => {
    const { objects } = await chat({ model, logprobs: true, top_logprobs: 2 });
    const [first] = objects[0]?.logprobs ?? [];
    expect(first?.logprob).toBeLessThanOrEqual(0);
    expect(first?.top_logprobs).toHaveLength(2);
  });

  test('embeddings are those of the other server', async () => {
    const body = { model, input: ['a fox', 'a hen'] };
    const { objects } = await post<{ embeddings: number[][] }>(near.url, '/api/embed', body);
    const init = { headers: { authorization: `Bearer ${key}` } };
    const direct = await post<{ embeddings: number[][] }>(far.url, '/api/embed', { ...body, model: 'ember' }, init);
    for (const [index, vector] of (direct.objects[0]?.embeddings ?? []).entries())
      for (const [place, value] of vector.entries())
        expect(objects[0]?.embeddings[index]?.[place]).toBeCloseTo(value, 4);
  });

  test('the other dialects answer', async () => {
    const messages = hi;
    const chatCompletion = await postChat(near.url, { model, messages, max_tokens: 8 });
    expect(chatCompletion.body.usage?.completion_tokens).toBeGreaterThan(0);
    const completion = await postCompletion(near.url, { model, prompt: 'Once', max_tokens: 8 });
    expect(completion.body.usage?.prompt_tokens).toBeGreaterThan(0);
    const response = await postResponse(near.url, { model, input: 'Hi', max_output_tokens: 8 });
    expect(response.body.usage?.input_tokens).toBeGreaterThan(0);
    const message = await postMessages(near.url, { model, messages, max_tokens: 8 });
    expect(message.body.usage).toMatchObject({ output_tokens: expect.any(Number) });
    expect(message.body.usage.input_tokens + (message.body.usage.cache_read_input_tokens ?? 0)).toBeGreaterThan(0);
    const streamed = await postMessages(near.url, { model, messages, max_tokens: 8, stream: true });
    expect(messageEventsOf(streamed.text).at(-1)?.type).toBe('message_stop');
  });

  test('a client that leaves ends the work of the other server', async () => {
    const controller = new AbortController();
    const body = { model, messages: hi, options: { num_predict: 4000, temperature: 1, stop: [] }, format: endless };
    const response = await fetch(`${near.url}/api/chat`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    const stateOf = async () => (await get<PsResponseBody>('/api/ps', far)).models[0]?.state;
    expect(await stateOf()).toBe('busy');
    controller.abort();
    await expect.poll(stateOf).toBe('idle');
  });
});

test('tools are called, and a call can be required where the API has that', async () => {
  const tools = [weatherTool];
  const options = { temperature: 0 };
  const { objects } = await chat({ model: 'as-ollama', messages: [weatherQuestion], tools, options });
  expect(objects[0]?.message?.tool_calls?.[0]?.function.name).toBe('get_current_weather');
  const required = { messages: [weatherQuestion], tools, tool_choice: 'required', temperature: 0 };
  const { body } = await postChat(near.url, { model: 'as-openai', ...required });
  const call = body.choices[0]?.message.tool_calls?.[0];
  expect(JSON.parse(call?.function.arguments ?? '')).toMatchObject({ location: expect.any(String) });
  const refused = await postChat(near.url, { model: 'as-ollama', ...required });
  expect([refused.status, refused.body.error?.message]).toEqual([
    400,
    expect.stringContaining('the remote "as-ollama"'),
  ]);
});

test('options that the remote does not have are named', async () => {
  const options = { ...short, mirostat: 2, num_ctx: 2048 };
  const { headers } = await chat({ model: 'as-openai', options });
  expect(headers.get('x-hearth-ignored')).toBe('mirostat, num_ctx');
  expect((await chat({ model: 'as-openai', options, stream: true })).headers.get('x-hearth-ignored')).toBe(
    'mirostat, num_ctx',
  );
  expect((await chat({ model: 'as-ollama', options })).headers.get('x-hearth-ignored')).toBeNull();
});

test('stop sequences beyond those that the remote accepts end the answer, too', async () => {
  const stop = ['\u0001', '\u0002', '\u0003', '\u0004', 'e'];
  const { objects } = await chat({ model: 'as-openai', options: { temperature: 0, num_predict: 40, stop } });
  expect(objects[0]).toMatchObject({ done: true, done_reason: 'stop' });
  expect(objects[0]?.message?.content).not.toContain('e');
});

test('texts are tokenized by the other server', async () => {
  const body = { model: 'as-ollama', text: 'a fox' };
  const { objects } = await post<{ tokens: number[] }>(near.url, '/api/tokenize', body);
  const { tokens = [] } = objects[0] ?? {};
  const back = await post<{ text: string }>(near.url, '/api/detokenize', { model: 'as-ollama', tokens });
  expect(back.objects[0]?.text).toBe('a fox');
  // A Hearth also has the path that vLLM and llama-server have.
  const other = await post<{ tokens: number[] }>(near.url, '/api/tokenize', { ...body, model: 'as-openai' });
  expect(other.objects[0]?.tokens).toEqual(tokens);
});

test('a template of this server renders the prompt', async () => {
  const template = '{{ range .Messages }}{{ .Content }}{{ end }}';
  expect((await create('own-template', 'remote://as-ollama/ember', { template })).status).toBe(200);
  const { objects } = await chat({ model: 'own-template' });
  const direct = await chat({ model: 'as-ollama' });
  expect(objects[0]?.prompt_eval_count).toBeGreaterThan(0);
  expect(objects[0]?.prompt_eval_count).toBeLessThan(direct.objects[0]?.prompt_eval_count ?? 0);
});

test('remote models are listed, shown, copied, used as a base and removed like others', async () => {
  const names = { remote_model: 'ember', remote_host: 'as-ollama' };
  await create('based', 'as-ollama', { system: 'Talk like a pirate.', parameters: { temperature: 0 } });
  await post(near.url, '/api/copy', { source: 'based', destination: 'copied' });
  const { models } = await get<TagsResponseBody>('/api/tags');
  for (const name of ['as-ollama:latest', 'based:latest', 'copied:latest'])
    expect(models.find((model) => model.name === name)).toMatchObject({ ...names, capabilities: expect.anything() });
  const { objects } = await post<ShowResponseBody>(near.url, '/api/show', { model: 'copied' });
  expect(objects[0]).toMatchObject({ ...names, system: 'Talk like a pirate.', capabilities: ['completion', 'tools'] });
  expect(objects[0]?.modelfile).toContain('FROM remote://as-ollama/ember');
  expect((await chat({ model: 'copied' })).status).toBe(200);
  const loaded = (await get<PsResponseBody>('/api/ps')).models.find(({ remote_host }) => remote_host === 'as-ollama');
  expect(loaded).toMatchObject({ ...names, backend: 'remote', size: 0, size_vram: 0 });
  const removed = await fetch(`${near.url}/api/delete`, {
    method: 'DELETE',
    body: JSON.stringify({ model: 'copied' }),
  });
  expect(removed.status).toBe(200);
});

test('a remote says what it is', async () => {
  const checkOf = async (name: string) => {
    const { objects } = await post<CheckRemoteResponseBody>(near.url, `/api/remotes/${name}/check`, {});
    return objects[0]?.endpoints[0];
  };
  expect(await checkOf('as-ollama')).toMatchObject({ kind: 'ollama', features: expect.arrayContaining(['tokenize']) });
  expect(await checkOf('as-openai')).toMatchObject({ kind: 'openai', features: expect.arrayContaining(['chat']) });
});

test('a wrong key, a wrong model and a server that is not there are errors that name the remote', async () => {
  await addRemote({ name: 'denied', key: 'wrong' });
  await post(near.url, '/api/remotes', { name: 'gone', urls: ['http://127.0.0.1:9'] });
  for (const remote of ['denied', 'gone']) expect((await create(remote, `remote://${remote}/ember`)).status).toBe(200);
  const denied = await chat({ model: 'denied' });
  expect([denied.status, denied.objects[0]?.error]).toEqual([
    502,
    'the remote "denied" denied access: its key is missing or wrong',
  ]);
  const gone = await chat({ model: 'gone' });
  expect([gone.status, gone.objects[0]?.error]).toEqual([
    502,
    expect.stringContaining('the remote "gone" cannot be reached'),
  ]);
  const wrongModel = await create('wrong', 'remote://as-ollama/nobody');
  expect([wrongModel.status, wrongModel.objects[0]?.error]).toEqual([
    400,
    expect.stringContaining('the remote "as-ollama" does not have the model "nobody"; it has'),
  ]);
  const noRemote = await create('wrong', 'remote://nowhere/ember');
  expect([noRemote.status, noRemote.objects[0]?.error]).toEqual([404, 'there is no remote "nowhere"']);
});

test('an endpoint that is not there is replaced by the next one, and endpoints are removed without a restart', async () => {
  await post(near.url, '/api/remotes', { name: 'two', urls: ['http://127.0.0.1:9', far.url], key });
  expect((await create('two', 'remote://two/ember')).status).toBe(200);
  expect((await chat({ model: 'two' })).status).toBe(200);
  await fetch(`${near.url}/api/remotes/two?url=${encodeURIComponent(far.url)}`, { method: 'DELETE' });
  expect((await chat({ model: 'two' })).status).toBe(502);
  await fetch(`${near.url}/api/remotes/two`, { method: 'DELETE' });
  expect((await chat({ model: 'two' })).status).toBe(404);
});

test('remotes that form a loop end with an error, and a server can be its own remote for local models', async () => {
  // A model is found at the remote only if it was there before the remote was asked.
  expect((await create('circle', 'ember')).status).toBe(200);
  await post(near.url, '/api/remotes', { name: 'itself', urls: [near.url] });
  for (const [name, model] of Object.entries({ mirror: 'ember', circle: 'circle' }))
    expect((await create(name, `remote://itself/${model}`)).status).toBe(200);
  expect((await chat({ model: 'mirror' })).status).toBe(200);
  const looped = await chat({ model: 'circle', stream: true });
  const error = expect.stringMatching(/^the remote "itself" refused the request: the remotes form a loop/);
  expect([looped.status, looped.objects]).toEqual([508, [{ error, code: 'remote_loop' }]]);
});

test('a loop through a proxy that drops headers is bounded, and ends with its caller', async () => {
  let requests = 0;
  const proxy = createServer(async (incoming, outgoing) => {
    const left = new AbortController();
    outgoing.on('close', () => left.abort());
    const isPost = incoming.method === 'POST';
    if (isPost) requests++;
    const parts: Uint8Array[] = [];
    for await (const part of incoming) parts.push(part as Uint8Array);
    const { method = '', url: path } = incoming;
    const body = isPost ? Buffer.concat(parts) : null;
    const passed = await fetch(near.url + path, { method, body, signal: left.signal }).catch(() => undefined);
    outgoing.writeHead(passed?.status ?? 502).end(await passed?.text().catch(() => ''));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  try {
    expect((await create('ring', 'ember')).status).toBe(200);
    await post(near.url, '/api/remotes', {
      name: 'ring',
      urls: [`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`],
    });
    expect((await create('ring', 'remote://ring/ring')).status).toBe(200);
    const caller = new AbortController();
    const asked = chat({ model: 'ring' }, near, { signal: caller.signal }).catch(() => undefined);
    // One of them waits here until another one is answered, which never happens.
    await expect.poll(() => requests).toBeGreaterThanOrEqual(64);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(requests).toBeLessThan(70);
    caller.abort();
    await asked;
    const running = async () => JSON.stringify((await get<{ requests: object[] }>('/api/activity')).requests);
    await expect.poll(running).not.toContain('"ring');
    expect(requests).toBeLessThan(70);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

test('the API reads no file and no variable that is not for remotes, and no remote has a metadata address', async () => {
  const heard: unknown[] = [];
  const thief = createServer(({ headers }, response) => {
    heard.push(headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  const urls = [`http://127.0.0.1:${(thief.address() as AddressInfo).port}`];
  const [written = ''] = readdirSync(keyFolder).filter((name) => /^[0-9a-f]{32}\.key$/.test(name));
  for (const secret of [
    ...[keyFile, '/etc/hostname', '../keys.json', `${keyFolder}/../keys.json`, '.', written].map((key_file) => ({
      key_file,
    })),
    { key_env: 'PATH' },
    { key_env: 'HEARTH_REGISTRY_CREDENTIALS' },
    { ca_file: '/etc/hostname' },
    { key: 'two words' },
    { key: 'a', key_file: 'far.key' },
  ]) {
    const { status, objects } = await post(near.url, '/api/remotes', { name: 'thief', urls, ...secret });
    expect([status, objects[0]?.error], JSON.stringify(secret)).toEqual([400, expect.any(String)]);
  }
  expect((await post(near.url, '/api/remotes/thief/check', {})).status).toBe(404);
  expect(heard).toEqual([]);
  thief.close();
  for (const url of [
    'http://169.254.169.254',
    'http://[fe80::1]:80',
    'http://0.0.0.0:8000',
    'http://[::ffff:a9fe:a9fe]',
  ])
    expect((await post(near.url, '/api/remotes', { name: 'metadata', urls: [url] })).status).toBe(400);
});

test('a key that was given is removed with its endpoint', async () => {
  const before = readdirSync(keyFolder);
  await addRemote({ name: 'short', key });
  expect(readdirSync(keyFolder)).toHaveLength(before.length + 1);
  await addRemote({ name: 'short' });
  expect(readdirSync(keyFolder)).toEqual(before);
  await addRemote({ name: 'short', key });
  await fetch(`${near.url}/api/remotes/short`, { method: 'DELETE' });
  expect(readdirSync(keyFolder)).toEqual(before);
  if (process.platform !== 'win32')
    for (const name of before) expect(statSync(join(keyFolder, name)).mode & 0o777).toBe(0o600);
});

test('keys are neither in the store nor in the file of remotes, the API or the log', async () => {
  const files = readdirSync(near.store, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size < 2 ** 20);
  const remotes = join(dirname(near.store), '.hearth/remotes.json');
  for (const path of [...files, remotes]) expect(readFileSync(path, 'utf8')).not.toContain(key);
  if (process.platform !== 'win32') expect(statSync(remotes).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(await get('/api/remotes'))).not.toContain(key);
  expect(near.log()).not.toContain(key);
  expect(near.log()).toContain('add remote');
});

test('the command adds a remote and creates its model, checks, lists and removes it', async () => {
  const run = (...words: string[]) => hearth(['remote', ...words], { url: near.url });
  const added = await run('add', 'by-command', '--url', far.url, '--model', 'ember', '--key-file', keyFile);
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("created the model 'by-command'") });
  expect((await chat({ model: 'by-command' })).status).toBe(200);
  expect((await run('list')).stdout).toMatch(new RegExp(`by-command +${far.url} +auto +ember`));
  expect(await run('check', 'by-command')).toMatchObject({ code: 0, stdout: expect.stringContaining('Hearth') });
  expect(await run('add', 'ember', '--url', far.url, '--model', 'ember')).toMatchObject({
    stderr: expect.stringContaining("There is already a model 'ember', which was not changed."),
  });
  expect((await create('second-by-command', 'remote://by-command/ember')).status).toBe(200);
  const listed = async () =>
    (await hearth(['list'], { url: near.url })).stdout.match(/^(second-)?by-command\S*/gm) ?? [];
  expect(await run('remove', 'by-command', '--keep-models')).toMatchObject({ code: 0 });
  expect((await run('list')).stdout).not.toContain('by-command');
  expect((await listed()).toSorted()).toEqual(['by-command:latest', 'second-by-command:latest']);
  await run('add', 'by-command', '--url', far.url, '--model', 'ember', '--key-file', keyFile);
  const removed = await run('remove', 'by-command');
  expect([removed.code, removed.stderr.split('\n').toSorted()]).toEqual([
    0,
    [
      '',
      "removed the model 'by-command:latest'",
      "removed the model 'second-by-command:latest'",
      "removed the remote 'by-command'",
    ],
  ]);
  expect(await listed()).toEqual([]);
});

test('a trace of the caller is in the log of both servers; what is not a trace is in neither', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const asked = async (traceparent: string): Promise<void> => {
    const { status, headers } = await chat({ model: 'as-ollama' }, near, { headers: { traceparent } });
    expect(status).toBe(200);
    expect(headers.get('server-timing')).toMatch(/^queue;dur=.*generation;dur=.*total;dur=/);
  };
  await asked(`00-${traceId}-00f067aa0ba902b7-01`);
  await asked(`00-${'e'.repeat(31)}-00f067aa0ba902b7-01`);
  await expect.poll(() => far.log()).toMatch(new RegExp(`POST /api/chat .*trace=${traceId}`));
  await expect.poll(() => near.log()).toMatch(new RegExp(`POST /api/chat .*trace=${traceId}`));
  expect(near.log() + far.log()).not.toContain('e'.repeat(31));
});

describe('an alias', () => {
  test('goes to the first model that is there and answers; ps, usage and a header name it', async () => {
    await addRemote({ name: 'as-nothing', urls: ['http://127.0.0.1:9'] });
    expect((await create('as-nothing', 'remote://as-nothing/ember')).status).toBe(200);
    for (const stream of [false, true]) {
      const { status, headers, objects } = await chat({ model: 'steady', stream });
      expect([status, headers.get('x-hearth-model'), objects[0]?.model]).toEqual([200, 'as-ollama:latest', 'steady']);
      expect(objects[0]?.remote_model).toBe('ember');
    }
    expect((await postChat(near.url, { model: 'steady', messages: hi, max_tokens: 4 })).status).toBe(200);
    const { models } = await get<PsResponseBody>('/api/ps');
    expect(models.find(({ name }) => name === 'as-ollama:latest')?.aliases).toEqual(['steady', 'trial']);
    expect((await hearth(['ps'], { url: near.url })).stdout).toMatch(/as-ollama:latest +steady, trial /);
    expect((await hearth(['usage', '--by', 'alias'], { url: near.url })).stdout).toMatch(
      /steady → as-ollama:latest +3 /,
    );
    expect((await post<ShowResponseBody>(near.url, '/api/show', { model: 'trial' })).status).toBe(200);
  });

  test('with weights divides requests, and keeps a conversation with its model', async () => {
    const modelsOf = async (sessions: readonly (string | undefined)[]): Promise<Set<string | null>> => {
      const replies = sessions.map((session) =>
        chat({ model: 'trial' }, near, { headers: session === undefined ? {} : { 'x-session-id': session } }),
      );
      return new Set((await Promise.all(replies)).map(({ headers }) => headers.get('x-hearth-model')));
    };
    const both = new Set(['ember:latest', 'as-ollama:latest']);
    expect(await modelsOf(Array.from({ length: 12 }, (_, index) => `session ${index}`))).toEqual(both);
    // One after the other: a model that requests wait for comes last.
    const alone = new Set<string | null>();
    for (let turn = 0; turn < 4; turn++) for (const model of await modelsOf(['one'])) alone.add(model);
    expect(alone.size).toBe(1);
  });
});
