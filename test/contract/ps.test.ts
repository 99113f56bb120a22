// GET /api/ps and GET /api/queue: each test name states a rule of the API.

import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueueResponseBody } from '../../src/server/dialects/hearth/status/queue-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { beginAnswer, generate, post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_NUM_PARALLEL: '1', HEARTH_MAX_QUEUE: '1' } });
});
afterAll(() => server.stop());

const get = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
const ps = async () => (await get<PsResponseBody>('/api/ps')).models;

test('no model is loaded at first', async () => {
  expect(await ps()).toEqual([]);
  expect(await get('/api/queue')).toEqual({ queues: [] });
});

test('a loaded model with all fields and its expiry', async () => {
  await generate(server.url, { prompt: 'Hi', keep_alive: '10m', options: { num_predict: 1 } });
  const [model] = await ps();
  const { models } = await get<{ models: { name: string; digest: string }[] }>('/api/tags');
  expect(model).toMatchObject({
    name: 'ember:latest',
    model: 'ember:latest',
    digest: models.find(({ name }) => name === 'ember:latest')?.digest,
    details: { format: 'gguf', family: 'llama', quantization_level: 'Q4_K_M' },
    size_vram: 0,
    backend: 'cpu',
    context_length: 4096,
    context: { length: 4096, source: 'trained', parallel: 1, type_k: 'f16', type_v: 'f16' },
    state: 'idle',
    modified_at: expect.stringMatching(/^\d{4}-/),
  });
  expect(model?.size).toBeGreaterThan(26_000_000);
  const left = Date.parse(model?.expires_at ?? '') - Date.now();
  expect(left).toBeGreaterThan(9 * 60_000);
  expect(left).toBeLessThanOrEqual(10 * 60_000);
});

test('the length and the types of the context, and why it has them', async () => {
  const options = { num_predict: 1, num_ctx: 512, kv_cache_type_k: 'q8_0', kv_cache_type_v: 'iq4_nl' };
  await generate(server.url, { prompt: 'Hi', options });
  const context = { length: 512, source: 'request', parallel: 1, type_k: 'q8_0', type_v: 'iq4_nl' };
  expect(await ps()).toMatchObject([{ context_length: 512, context }]);
});

test('a keep_alive without end is about 300 years', async () => {
  await generate(server.url, { prompt: 'Hi', keep_alive: -1, options: { num_predict: 1 } });
  expect(new Date((await ps())[0]?.expires_at ?? '').getFullYear()).toBeGreaterThan(2300);
});

test('requests above the queue limit are refused at once with Retry-After; waiting ones are listed', async () => {
  const rest = await beginAnswer(server.url, { prompt: 'Tell me a story.', options: { num_predict: 60, seed: 3 } });
  const others = [1, 2, 3].map(() =>
    post(server.url, '/api/generate', { model: 'ember', prompt: 'Hi', stream: false }),
  );
  const statuses = (await Promise.all(others)).map(({ status, headers }) => [status, headers.get('retry-after')]);
  await rest();
  expect(statuses.filter(([status]) => status === 200).length).toBeGreaterThanOrEqual(1);
  for (const [status, retry] of statuses.filter(([code]) => code !== 200)) {
    expect(status).toBe(503);
    expect(Number(retry)).toBeGreaterThanOrEqual(1);
  }
  expect((await get<QueueResponseBody>('/api/queue')).queues).toEqual([]);
});

test.each([1e300, 1e17, '999999999999999h'])('keep_alive %s has a valid expiry', async (keepAlive) => {
  await generate(server.url, { prompt: 'Hi', keep_alive: keepAlive, options: { num_predict: 1 } });
  const [model] = await ps();
  expect(model?.expires_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/);
});

const loads = (): number => server.log().split('model loaded').length - 1;

test('requests with the same effective load options share one load', async () => {
  await generate(server.url, { prompt: 'Hi', keep_alive: 0, options: { num_predict: 1 } });
  await expect.poll(ps).toEqual([]);
  const before = loads();
  const [trained, threads] = [4096, availableParallelism() === 1 ? 1 : 0];
  const same = [{}, { num_ctx: trained }, { num_ctx: 100_000 }, { num_gpu: 0 }, { num_gpu: 99 }, { num_batch: 512 }];
  for (const options of [...same, { num_thread: threads }])
    await generate(server.url, { prompt: 'Hi', options: { num_predict: 1, ...options } });
  expect(loads() - before).toBe(1);
});

test('an answer on the old runner finishes when a request needs other load options', async () => {
  const rest = await beginAnswer(server.url, { prompt: 'Tell me a story.', options: { num_predict: 40, seed: 3 } });
  const other = generate(server.url, { prompt: 'Hi', options: { num_predict: 1, num_ctx: 512 } });
  const objects = await rest();
  expect(objects.at(-1)).toMatchObject({ done: true });
  expect(await other).toMatchObject({ done: true });
  expect((await ps())[0]?.context_length).toBe(512);
});

test('keep_alive 0 on an idle model: it has left the list when the answer arrives', async () => {
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
  expect(await ps()).toHaveLength(1);
  await post(server.url, '/api/generate', { model: 'ember', keep_alive: 0 });
  expect(await ps()).toEqual([]);
});

test('keep_alive 0 on a busy model: it is draining and expires now', async () => {
  const rest = await beginAnswer(server.url, { prompt: 'Tell me a story.', options: { num_predict: 60, seed: 3 } });
  await post(server.url, '/api/generate', { model: 'ember', keep_alive: 0 });
  const [model] = await ps();
  await rest();
  expect(model?.state).toBe('draining');
  expect(Date.parse(model?.expires_at ?? '')).toBeLessThanOrEqual(Date.now());
});

test('models with the same weights are in memory once, and each that was used is listed', async () => {
  await post(server.url, '/api/create', { model: 'twin', from: 'ember', system: 'Be brief.', stream: false });
  for (const model of ['ember', 'twin'])
    await generate(server.url, { model, prompt: 'Hi', keep_alive: '10m', options: { num_predict: 1 } });
  const [first, second, ...others] = await ps();
  expect(first).toMatchObject({ name: 'ember:latest' });
  expect(first).not.toHaveProperty('shared_with');
  expect(second).toMatchObject({ name: 'twin:latest', model: 'twin:latest', shared_with: 'ember:latest' });
  expect([second?.digest === first?.digest, others]).toEqual([false, []]);
  await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: 'twin' }) });
  expect((await ps()).map(({ name }) => name)).toEqual(['ember:latest']);
});
