import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createDeferred } from '../../base/deferred.ts';
import { HearthError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { currentRequest } from '../../base/request/request-scope.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { createOriginCheck } from './access/origin.ts';
import type { FinishedRequest, RequestEnd } from './request-end.ts';
import { type HeldRequest, RequestTable } from './requests.ts';
import { createHttpServer } from './server.ts';
import { sendStream } from './streaming/send-stream.ts';

const ends: RequestEnd[] = [];
const finished: FinishedRequest[] = [];
const endedIds: string[] = [];
let ended = createDeferred<void>();
const key: CallerKey = { id: 'a1', name: 'anna', scope: 'infer', group: 'a1', models: [], weight: 1 };
const clock = createFakeClock(0);
const watches = new Set<(error: HearthError) => void>();
const revokeKey = (): void => {
  for (const onRevoked of watches) onRevoked(new HearthError('unauthorized', 'not valid any more'));
};
const requests = new RequestTable({
  clock,
  logger: silentLogger,
  identify: (headers) => (headers['x-api-key'] === 'secret' ? key : undefined),
  watchKey(_, onRevoked) {
    watches.add(onRevoked);
    return () => watches.delete(onRevoked);
  },
  onEnd(end) {
    ends.push(end);
    ended.resolve();
  },
  onFinished: (request) => finished.push(request),
});
const aborted = ({ scope }: Pick<FastifyRequest, 'scope'>): Promise<never> =>
  new Promise((_, reject) =>
    scope.signal.addEventListener('abort', () => reject(new HearthError('cancelled', 'request canceled'))),
  );
let client = '';
async function* forever(request: FastifyRequest) {
  client = currentRequest()?.client ?? '';
  yield { id: currentRequest()?.id };
  await aborted(request);
}
// What the route that holds its request got.
let held: HeldRequest;
let heldSignal: AbortSignal;
let disconnected = createDeferred<void>();
let workDone = createDeferred<void>();
async function* untilWorkDone() {
  yield { id: currentRequest()?.id };
  await workDone.promise;
}
const common = { dialect: ollamaDialect, method: 'POST', scope: 'infer', summary: 'Do it' } as const;
const app = createHttpServer({
  routes: [
    {
      ...common,
      path: '/models/:name',
      handle: ({ params, report }) => {
        report.model = (params as { name: string }).name;
        return { id: currentRequest()?.id };
      },
    },
    { ...common, path: '/wait', handle: aborted },
    { ...common, path: '/metered', metered: true, handle: () => ({}) },
    {
      ...common,
      path: '/who',
      handle: () => ({ key: currentRequest()?.key?.name ?? 'none', client: currentRequest()?.client }),
    },
    { ...common, path: '/passed', handle: () => ({ passed: currentRequest()?.passedServers ?? 'none' }) },
    { ...common, path: '/polled', polled: true, handle: () => ({ busy: requests.isBusy() }) },
    {
      ...common,
      path: '/hold',
      handle(request, reply) {
        held = requests.hold(request);
        heldSignal = request.scope.signal;
        requests.onceEnded(request, () => endedIds.push(held.scope.id));
        reply.raw.once('close', () => disconnected.resolve());
        return sendStream(reply, untilWorkDone(), { dialect: ollamaDialect, logger: silentLogger });
      },
    },
    {
      ...common,
      path: '/answer',
      metered: true,
      handle(request, reply) {
        Object.assign(request.report.openCount(), { promptTokens: 3, cachedTokens: 0, generatedTokens: 2 });
        return sendStream(reply, forever(request), { dialect: ollamaDialect, logger: silentLogger });
      },
    },
    {
      ...common,
      path: '/stream',
      handle: (request, reply) => sendStream(reply, forever(request), { dialect: ollamaDialect, logger: silentLogger }),
    },
  ],
  dialects: dialectTable,
  requests,
  maxBodyBytes: 1000,
  isAllowedOrigin: createOriginCheck({ allowed: [], isVerifiedHost: () => true }),
  clock,
  logger: silentLogger,
});

let port: number;
beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(() => app.close());

async function endOf(path: string, act: (call: ReturnType<typeof request>) => unknown): Promise<RequestEnd> {
  ended = createDeferred<void>();
  const call = request({ port, path, method: 'POST', agent: false }).on('error', () => {});
  call.end('{}');
  await act(call);
  await ended.promise;
  return ends.at(-1) as RequestEnd;
}

const bodyOf = async (call: ReturnType<typeof request>) => {
  const [response] = await once(call, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { id: response.headers['x-request-id'], status: response.statusCode, text };
};

test('a request has its id after its body was read, and is reported under its route, not its path', async () => {
  const end = await endOf('/models/ember', async (call) => {
    const { id, text } = await bodyOf(call);
    expect(JSON.parse(text)).toEqual({ id });
  });
  expect(end).toEqual({
    method: 'POST',
    endpoint: '/models/:name',
    model: 'ember',
    outcome: 'ok',
    seconds: 0,
    polled: false,
  });
});

test('a running request makes the server busy; a polled one does not', async () => {
  const polled = await endOf('/polled', async (call) => expect((await bodyOf(call)).text).toBe('{"busy":false}'));
  expect(polled.polled).toBe(true);
  await endOf('/stream', async (call) => {
    await once(call, 'response');
    expect(requests.isBusy()).toBe(true);
    call.destroy();
  });
  expect(requests.isBusy()).toBe(false);
});

test('all paths without a route are reported as one endpoint', async () => {
  expect(await endOf('/made/up', bodyOf)).toMatchObject({ endpoint: 'none', outcome: 'path_not_found' });
});

test('a disconnect cancels the request, before the first line and after it', async () => {
  expect(await endOf('/wait', async (call) => setTimeout(() => call.destroy(), 50))).toMatchObject({
    endpoint: '/wait',
    outcome: 'cancelled',
  });
  const end = await endOf('/stream', async (call) => {
    await once(call, 'response');
    call.destroy();
  });
  expect(end).toMatchObject({ endpoint: '/stream', outcome: 'cancelled' });
});

test('a request of a metered route is reported with its dialect and key when it has ended, unless it was refused', async () => {
  finished.length = 0;
  const send = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/metered`, { method: 'POST', headers });
  await (await send({ 'x-api-key': 'secret' })).text();
  expect((await send({ origin: 'http://elsewhere.example' })).status).toBe(403);
  await (await send({})).text();
  await expect.poll(() => finished.length).toBe(2);
  const tokens = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
  expect(finished[0]).toMatchObject({ endpoint: '/metered', dialect: 'Ollama', key: 'anna', outcome: 'ok', tokens });
  expect(finished[1]).toMatchObject({ key: '', exchanges: [] });
});

test('a request can be canceled by its id; its client gets an error', async () => {
  const end = await endOf('/stream', async (call) => {
    const [response] = await once(call, 'response');
    const { 'x-request-id': id, 'request-id': same } = response.headers;
    expect(same).toBe(id);
    const viewer = { client, seesAll: false, hasKey: false };
    const other = { ...viewer, client: '192.0.2.1' };
    expect([viewer, other].map((one) => requests.isVisible(one, id))).toEqual([true, false]);
    expect(requests.isVisible({ ...other, seesAll: true }, id)).toBe(true);
    expect(() => requests.cancel(other, id)).toThrow(`request "${id}" not found`);
    requests.cancel(viewer, id);
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(text).toBe(`{"id":"${id}"}\n{"error":"request canceled","code":"cancelled"}\n`);
    expect(() => requests.cancel(viewer, id)).toThrow(`request "${id}" not found`);
  });
  expect(end.outcome).toBe('cancelled');
});

test('a request has the key that it carries, which is then its client', async () => {
  const ask = (headers: Record<string, string>) => app.inject({ method: 'POST', url: '/who', headers });
  expect((await ask({ 'x-api-key': 'secret' })).json()).toEqual({ key: 'anna', client: 'key_a1' });
  expect((await ask({ 'x-api-key': 'other' })).json()).toEqual({ key: 'none', client: '127.0.0.1' });
});

test('a stream ends with an error when its key is revoked, and what it has used is reported', async () => {
  finished.length = 0;
  const response = await fetch(`http://127.0.0.1:${port}/answer`, {
    method: 'POST',
    headers: { 'x-api-key': 'secret' },
  });
  revokeKey();
  expect((await response.text()).split('\n')[1]).toBe('{"error":"not valid any more","code":"unauthorized"}');
  await expect.poll(() => finished.length).toBe(1);
  expect(finished[0]).toMatchObject({ outcome: 'unauthorized', key: 'anna', tokens: { generatedTokens: 2 } });
  await expect.poll(() => watches.size).toBe(0);
});

test('a request without a response yet gets a status when its key is revoked', async () => {
  const answer = app.inject({ method: 'POST', url: '/wait', headers: { 'x-api-key': 'secret' } });
  await expect.poll(() => watches.size).toBe(1);
  revokeKey();
  let status = 0;
  void answer.then(({ statusCode }) => {
    status = statusCode;
  });
  const pass = (): number => {
    // A refusal is delayed.
    clock.advance(100);
    return status;
  };
  await expect.poll(pass).toBe(401);
});

test('a request without a key is not watched', async () => {
  await endOf('/stream', async (call) => {
    await once(call, 'response');
    expect(watches.size).toBe(0);
    call.destroy();
  });
});

test('a request has the servers that it has passed', async () => {
  const ask = (headers: Record<string, string>) => app.inject({ method: 'POST', url: '/passed', headers });
  expect((await ask({})).json()).toEqual({ passed: 'none' });
  expect((await ask({ 'x-hearth-via': 'a, b' })).json()).toEqual({ passed: ['a', 'b'] });
});

test('a request that is held goes on without its connection, until it is released', async () => {
  const end = await endOf('/hold', async (call) => {
    const [response] = await once(call, 'response');
    const id = response.headers['x-request-id'];
    const before = ends.length;
    call.destroy();
    await disconnected.promise;
    expect([requests.isBusy(), heldSignal.aborted, ends.length, endedIds]).toEqual([true, false, before, []]);
    expect(held.scope.id).toBe(id);
    workDone.resolve();
    held.release();
    expect(endedIds).toEqual([id]);
  });
  expect(end).toMatchObject({ endpoint: '/hold', outcome: 'ok' });
  expect([requests.isBusy(), heldSignal.aborted]).toEqual([false, false]);
});

test('a request that is held ends with its connection if it was released before', async () => {
  workDone = createDeferred();
  const end = await endOf('/hold', async (call) => {
    const [response] = await once(call, 'response');
    held.release();
    expect(requests.isBusy()).toBe(true);
    workDone.resolve();
    for await (const _ of response);
  });
  expect(end).toMatchObject({ endpoint: '/hold', outcome: 'ok' });
});

test('a request that is held can be canceled by its id without its connection', async () => {
  disconnected = createDeferred();
  workDone = createDeferred();
  await endOf('/hold', async (call) => {
    await once(call, 'response');
    call.destroy();
    await disconnected.promise;
    requests.cancel({ client: held.scope.client, seesAll: false, hasKey: false }, held.scope.id);
    expect(heldSignal.aborted).toBe(true);
    workDone.resolve();
    held.release();
  });
});
