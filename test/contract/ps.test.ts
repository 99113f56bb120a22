// GET /api/ps and GET /api/queue: each test name states a rule of the API.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import type { QueueResponseBody } from '../../src/server/dialects/ollama/status/queue-schema.ts';
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
    context_length: 4096,
    state: 'idle',
  });
  expect(model?.size).toBeGreaterThan(26_000_000);
  const left = Date.parse(model?.expires_at ?? '') - Date.now();
  expect(left).toBeGreaterThan(9 * 60_000);
  expect(left).toBeLessThanOrEqual(10 * 60_000);
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
