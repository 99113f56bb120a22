// GET /api/queue, DELETE /api/requests/:id and the limit of the queue: each test name states a rule.

import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { QueueResponseBody } from '../../src/server/dialects/hearth/status/queue-schema.ts';
import { openConnection, requestHead } from '../abuse/raw-connection.ts';
import { type Body, post } from '../support/client.ts';
import { fetchFrom } from '../support/from-address.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { pause } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

const maxQueue = 3;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    environment: { HEARTH_NUM_PARALLEL: '1', HEARTH_MAX_QUEUE: String(maxQueue), HEARTH_SLOT_TIME: '-1' },
  });
  await addEndlessModel(server.store, 'endless');
});
afterAll(() => server.stop());
afterEach(untilNobodyWaits);

const queue = async (): Promise<QueueResponseBody['queues']> =>
  ((await (await fetch(`${server.url}/api/queue`)).json()) as QueueResponseBody).queues;
const cancel = (id: string): Promise<Response> => fetch(`${server.url}/api/requests/${id}`, { method: 'DELETE' });

async function untilNobodyWaits(): Promise<void> {
  while ((await queue()).length > 0) await pause(20);
}

/** Waits until this many requests are in the queue. */
async function untilWaiting(count: number): Promise<(string | undefined)[]> {
  for (;;) {
    const ids = (await queue()).flatMap(({ waiting }) => waiting.map(({ id }) => id));
    if (ids.length >= count) return ids;
    await pause(20);
  }
}

/** An answer that runs until it is canceled. */
async function beginEndless(): Promise<{ id: string; rest: Promise<string> }> {
  const body = JSON.stringify({ model: 'endless', prompt: 'Hi', options: { num_predict: 100_000 } });
  const response = await fetch(`${server.url}/api/generate`, { method: 'POST', body });
  return { id: response.headers.get('x-request-id') ?? '', rest: response.text() };
}

// The tests themselves have 127.0.0.1.
const otherFetch = fetchFrom('127.0.0.2');

const askShortly = (body: Body = {}, init: Parameters<typeof post>[3] = {}) =>
  post(
    server.url,
    '/api/generate',
    { model: 'endless', prompt: 'Hi', stream: false, options: { num_predict: 2 }, ...body },
    init,
  );

/** The gauges that load balancers read, which have no labels. */
async function loadGauges(): Promise<readonly number[]> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return ['requests_running', 'requests_waiting', 'kv_cache_usage_ratio'].map((name) => {
    const samples = text.match(new RegExp(`^hearth_${name}\\b.*$`, 'gm')) ?? [];
    expect(samples).toHaveLength(1);
    return Number(samples[0]?.split(' ')[1]);
  });
}

test('the gauges of the load have one request that runs, those that wait, and the used part of the KV cache', async () => {
  expect(await loadGauges()).toEqual([0, 0, 0]);
  const running = await beginEndless();
  const waiting = [askShortly(), askShortly()];
  await untilWaiting(2);
  const [requests, queued, usage = 0] = await loadGauges();
  expect([requests, queued]).toEqual([1, 2]);
  expect(usage).toBeGreaterThan(0);
  await expect.poll(async () => (await loadGauges())[2]).toBeGreaterThan(usage);
  await cancel(running.id);
  await Promise.allSettled([running.rest, ...waiting]);
  await expect.poll(loadGauges).toEqual([0, 0, 0]);
});

test('a completion says how busy the server is, if the request asks for it in a format of ORCA', async () => {
  const ask = async (path: string, format = '', more: Body = {}) => {
    const body = {
      model: 'endless',
      prompt: 'Hi',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 2,
      ...more,
    };
    const headers = { 'endpoint-load-metrics-format': format };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.text();
    return response.headers.get('endpoint-load-metrics');
  };
  for (const path of ['/v1/completions', '/v1/chat/completions']) {
    expect(await ask(path, 'TEXT')).toMatch(
      /^TEXT named_metrics\.num_requests_waiting=0\.0, named_metrics\.kv_cache_usage_perc=\d\.\d+$/,
    );
    const json = await ask(path, 'JSON');
    expect(JSON.parse(json?.slice('JSON '.length) ?? '')).toEqual({
      named_metrics: { num_requests_waiting: 0, kv_cache_usage_perc: expect.any(Number) },
    });
    expect(await ask(path)).toBeNull();
    expect(await ask(path, 'TEXT', { stream: true })).toBeNull();
  }
});

test('every response has a request id, errors too', async () => {
  const ids = await Promise.all(
    ['/api/tags', '/nowhere', '/api/version'].map(async (path) =>
      (await fetch(server.url + path)).headers.get('x-request-id'),
    ),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
});

test('a canceled answer ends with an error line and frees its slot', async () => {
  const { id, rest } = await beginEndless();
  expect(await (await cancel(id)).json()).toEqual({ status: 'cancelled' });
  const lines = (await rest).trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: 'request canceled', code: 'cancelled' });
  expect((await askShortly()).status).toBe(200);
});

test('a waiting request is listed with its model and time, and leaves the queue at once when canceled', async () => {
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

test('an unknown request cannot be canceled', async () => {
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

test('exactly the requests above the queue limit are refused at once, the others are answered', async () => {
  const { id, rest } = await beginEndless();
  const surplus = 2;
  const all = Array.from({ length: maxQueue + surplus }, () => askShortly());
  const turnedAway: Awaited<ReturnType<typeof askShortly>>[] = [];
  for (const one of all) void one.then((reply) => turnedAway.push(reply));
  await untilWaiting(maxQueue);
  while (turnedAway.length < surplus) await pause(10);
  // The endless answer is still running, so no other request has been answered.
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

test('if the queue is full, the client with the most waiting requests loses its newest to another client', async () => {
  const { id, rest } = await beginEndless();
  const many: ReturnType<typeof askShortly>[] = [];
  for (let count = 1; count <= maxQueue; count++) {
    many.push(askShortly());
    await untilWaiting(count);
  }
  const other = askShortly({}, { fetchWith: otherFetch });
  const { status, objects, headers } = (await many.at(-1)) as Awaited<ReturnType<typeof askShortly>>;
  expect(status).toBe(503);
  expect(objects[0]?.error).toBe('server busy, please try again.  maximum pending requests exceeded');
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await queue())[0]?.waiting).toHaveLength(maxQueue);
  await cancel(id);
  await rest;
  const statuses = (await Promise.all([...many.slice(0, -1), other])).map((reply) => reply.status);
  expect(statuses).toEqual(Array(maxQueue).fill(200));
});

test('a disconnected client leaves the queue at once and makes room for another', async () => {
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

test('a client with one request does not wait for all requests of another', async () => {
  const { id, rest } = await beginEndless();
  const order: string[] = [];
  const all = [];
  for (const client of ['batch', 'batch', 'editor']) {
    const init = client === 'editor' ? { fetchWith: otherFetch } : {};
    all.push(askShortly({}, init).then(() => order.push(client)));
    await untilWaiting(all.length);
  }
  // A request is in the queue before its prompt is rendered, and the runner must have all three.
  await pause(200);
  await cancel(id);
  await Promise.all([...all, rest]);
  expect(order.indexOf('editor')).toBeLessThan(2);
});

test('the ids of other clients are not listed, and their requests cannot be canceled', async () => {
  const { id, rest } = await beginEndless();
  const waiting = askShortly({}, { fetchWith: otherFetch });
  await untilWaiting(1);
  expect((await queue())[0]?.waiting).toEqual([{ since: expect.any(String), for: 'runner' }]);
  const listed = await (await otherFetch(`${server.url}/api/queue`)).json();
  const { id: waitingId = '' } = (listed as QueueResponseBody).queues[0]?.waiting[0] ?? {};
  expect(waitingId).toMatch(/^[0-9a-f]{16}$/);
  expect((await cancel(waitingId)).status).toBe(404);
  expect(await queue()).toHaveLength(1);
  await cancel(id);
  await rest;
  expect((await waiting).status).toBe(200);
});

test('a User-Agent or a token does not make another client', async () => {
  const { id, rest } = await beginEndless();
  const waiting = askShortly({}, { headers: { 'user-agent': 'another', authorization: 'Bearer other' } });
  expect(await untilWaiting(1)).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
  await cancel(id);
  await rest;
  await waiting;
});

test('pipelined requests end with their connection', async () => {
  const body = JSON.stringify({ model: 'endless', prompt: 'Hi' });
  const socket = await openConnection(server.url);
  const request = requestHead('/api/generate', body.length) + body;
  socket.write(request);
  // The first one must run: otherwise it waits, too.
  await once(socket, 'data');
  socket.write(request.repeat(2));
  expect(await untilWaiting(2)).toHaveLength(2);
  socket.destroy();
  await untilNobodyWaits();
  // The slot is free.
  const short = { model: 'endless', prompt: 'Hi', options: { num_predict: 1 }, stream: false };
  expect((await post(server.url, '/api/generate', short)).status).toBe(200);
});
