// GET /api/queue, DELETE /api/requests/:id and the limit of the queue: each test's name is the rule that it holds.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { QueueResponseBody } from '../../src/server/dialects/ollama/status/queue-schema.ts';
import { type Body, post } from '../support/client.ts';
import { addModel, endlessEmber } from '../support/models/endless-ember.ts';
import { pause } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

const maxQueue = 3;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_NUM_PARALLEL: '1', HEARTH_MAX_QUEUE: String(maxQueue) } });
  await addModel(server.store, 'endless', endlessEmber());
});
afterAll(() => server.stop());
afterEach(untilNobodyWaits);

const queue = async (): Promise<QueueResponseBody['queues']> =>
  ((await (await fetch(`${server.url}/api/queue`)).json()) as QueueResponseBody).queues;
const cancel = (id: string): Promise<Response> => fetch(`${server.url}/api/requests/${id}`, { method: 'DELETE' });

async function untilNobodyWaits(): Promise<void> {
  while ((await queue()).length > 0) await pause(20);
}

/** So many of them are in the queue. */
async function untilWaiting(count: number): Promise<string[]> {
  for (;;) {
    const ids = (await queue()).flatMap(({ waiting }) => waiting.map(({ id }) => id));
    if (ids.length >= count) return ids;
    await pause(20);
  }
}

/** An answer that goes on until it is cancelled. */
async function beginEndless(): Promise<{ id: string; rest: Promise<string> }> {
  const body = JSON.stringify({ model: 'endless', prompt: 'Hi', options: { num_predict: 100_000 } });
  const response = await fetch(`${server.url}/api/generate`, { method: 'POST', body });
  return { id: response.headers.get('x-request-id') ?? '', rest: response.text() };
}

const askShortly = (body: Body = {}, client = 'a') =>
  post(
    server.url,
    '/api/generate',
    { model: 'endless', prompt: 'Hi', stream: false, options: { num_predict: 2 }, ...body },
    { headers: { 'user-agent': client } },
  );

test('every response names its request, also an error', async () => {
  const ids = await Promise.all(
    ['/api/tags', '/nowhere', '/api/version'].map(async (path) =>
      (await fetch(server.url + path)).headers.get('x-request-id'),
    ),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
});

test('a running answer that is cancelled ends with a line that says so, and its place is free', async () => {
  const { id, rest } = await beginEndless();
  expect(await (await cancel(id)).json()).toEqual({ status: 'cancelled' });
  const lines = (await rest).trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: 'request canceled', code: 'cancelled' });
  expect((await askShortly()).status).toBe(200);
});

test('a waiting request stands in the queue with its model and since when, and leaves it at once when cancelled', async () => {
  const { id, rest } = await beginEndless();
  const begun = Date.now();
  const waiting = askShortly();
  const [waitingId = ''] = await untilWaiting(1);
  expect(await queue()).toEqual([
    { model: 'endless:latest', waiting: [{ id: waitingId, since: expect.any(String), for: 'runner' }] },
  ]);
  expect(Date.parse((await queue())[0]?.waiting[0]?.since ?? '')).toBeGreaterThan(begun - 1000);
  await cancel(waitingId);
  const { status, objects, headers } = await waiting;
  expect([status, objects[0]?.error, headers.get('x-request-id')]).toEqual([499, 'request canceled', waitingId]);
  expect(await queue()).toEqual([]);
  await cancel(id);
  await rest;
});

test('what is not under way cannot be cancelled', async () => {
  const { headers } = await askShortly();
  for (const id of ['0123456789abcdef', headers.get('x-request-id') ?? '', '..%2f..']) {
    const response = await cancel(id);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: expect.stringMatching(/^request ".+" not found$/),
      code: 'request_not_found',
    });
  }
});

test('of more requests than may wait, exactly the surplus is turned away, at once, and the others are answered', async () => {
  const { id, rest } = await beginEndless();
  const surplus = 2;
  const all = Array.from({ length: maxQueue + surplus }, () => askShortly());
  const turnedAway: Awaited<ReturnType<typeof askShortly>>[] = [];
  for (const one of all) void one.then((reply) => turnedAway.push(reply));
  await untilWaiting(maxQueue);
  while (turnedAway.length < surplus) await pause(10);
  // The endless answer still goes on: nobody has been answered yet.
  expect(turnedAway.map(({ status }) => status)).toEqual([503, 503]);
  for (const { objects, headers } of turnedAway) {
    expect(objects[0]?.error).toBe('server busy, please try again.  maximum pending requests exceeded');
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  await cancel(id);
  await rest;
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(maxQueue);
});

test('a client that leaves the queue leaves it at once, and somebody else can have its place', async () => {
  const { id, rest } = await beginEndless();
  const impatient = new AbortController();
  const left = Array.from({ length: maxQueue }, () =>
    fetch(`${server.url}/api/generate`, {
      method: 'POST',
      body: JSON.stringify({ model: 'endless', prompt: 'Hi', stream: false }),
      signal: impatient.signal,
    }).catch(() => 'left'),
  );
  await untilWaiting(maxQueue);
  impatient.abort();
  expect(await Promise.all(left)).toEqual(Array(maxQueue).fill('left'));
  await untilNobodyWaits();
  const next = askShortly();
  await untilWaiting(1);
  await cancel(id);
  await rest;
  expect((await next).status).toBe(200);
});

test('a client with one request does not wait behind the many of another', async () => {
  const { id, rest } = await beginEndless();
  const order: string[] = [];
  const all = [];
  for (const client of ['batch', 'batch', 'editor']) {
    all.push(askShortly({}, client).then(() => order.push(client)));
    await untilWaiting(all.length);
  }
  await cancel(id);
  await Promise.all([...all, rest]);
  expect(order.indexOf('editor')).toBeLessThan(2);
});
