// A real vLLM behind Hearth: two servers with keys, and a model of random weights. What it says has no meaning, so the
// tests look at forms, numbers and errors.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setAsleep } from '../../src/features/vllm/vllm-sleep.ts';
import { endlessLlama, writeFiles } from '../support/checkpoints/checkpoints.ts';
import { post } from '../support/client.ts';
import { createRemoteFixture, type RemoteFixture, streamTogether } from './remote-fixture.ts';
import { startVllm, type VllmServer } from './start-vllm.ts';
import { describeAnswers, short } from './vllm-answers.ts';

const key = 'a-key-of-vllm';
const servedModel = 'tiny';
const contextLength = 1024;
const long = { num_predict: 900, temperature: 0 };
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

describeAnswers({ model: 'one', contextLength, fixture: () => fixture });

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

  test('the calls for a vLLM that this server starts find it asleep and awake', async () => {
    const address = { url: first.url, key };
    const isSleeping = async () => (await (await fetch(`${first.url}/is_sleeping`)).json()) as unknown;
    await setAsleep(address, true);
    expect(await isSleeping()).toEqual({ is_sleeping: true });
    await setAsleep(address, false);
    expect(await isSleeping()).toEqual({ is_sleeping: false });
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
