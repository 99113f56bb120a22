// Resumable answers over real connections, with a service that answers when the test says so.

import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AsyncQueue, createAsyncQueue } from '../../../../base/async-queue.ts';
import { HearthError } from '../../../../base/errors.ts';
import { silentLogger } from '../../../../base/logger.ts';
import { systemClock as clock } from '../../../../base/time/clock.ts';
import type { AnswerEvent } from '../../../../inference/model/answer-event.ts';
import { dialectTable } from '../../../compose/dialect-table.ts';
import { RequestTable } from '../../../http/requests.ts';
import { createResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { createHttpServer } from '../../../http/server.ts';
import type { Generate } from '../../../services/generation/generate.ts';
import { generateRoute } from '../../ollama/generation/generate-route.ts';
import { resumeRoute } from '../../ollama/generation/resume-route.ts';
import { cancelRoute } from './requests-route.ts';

let outputs: AsyncQueue<AnswerEvent>;
let app: ReturnType<typeof createHttpServer>;
let requests: RequestTable;
let url: string;

const generate: Generate = async function* (_input, signal) {
  const cancel = (): void => outputs.fail(new HearthError('cancelled', 'request canceled'));
  signal.addEventListener('abort', cancel);
  yield* outputs;
};

const notExpected = {
  ofChat: () => Promise.reject(new Error('not expected')),
  ofGenerate: () => Promise.reject(new Error('not expected')),
};

beforeEach(async () => {
  outputs = createAsyncQueue();
  const logger = silentLogger;
  requests = new RequestTable({ clock, logger });
  const limits = { maxBytes: 2 ** 20, keptFor: 60_000, detachedFor: 60_000 };
  const resumable = createResumableAnswers({ requests, clock, logger, ...limits });
  app = createHttpServer({
    routes: [
      generateRoute({ generate, loadModel: async () => 'loaded', renderPrompt: notExpected, clock, logger, resumable }),
      resumeRoute({ resumable, logger }),
      cancelRoute(requests),
    ],
    dialects: dialectTable,
    requests,
    maxBodyBytes: 1000,
    isAllowedOrigin: () => true,
    clock,
    logger,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  outputs.end();
  app.server.closeAllConnections();
  await app.close();
});

const started: AnswerEvent = { type: 'started', promptTokens: 1, cachedTokens: 0, droppedTokens: 0 };
const say = (...texts: string[]): void => {
  for (const text of texts) outputs.push({ type: 'text', text });
};

interface Begun {
  readonly id: string;
  readonly response: Response;
  leave(): Promise<void>;
}

async function begin(body: object = {}): Promise<Begun> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({ model: 'ember', prompt: 'Hi', resumable: true, ...body }),
    signal: leaving.signal,
  });
  return {
    id: response.headers.get('x-request-id') ?? '',
    response,
    async leave() {
      leaving.abort();
      await response.text().catch(() => {});
    },
  };
}

const resume = (id: string, query = ''): Promise<Response> => fetch(`${url}/api/requests/${id}/stream${query}`);
const linesOf = async (response: Response) =>
  (await response.text())
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { response?: string; error?: string; code?: string });
const textsOf = async (response: Response) => (await linesOf(response)).map((line) => line.response);

test('the id is known before the first object, and the answer goes on without its client', async () => {
  const { id, leave } = await begin();
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  outputs.push(started);
  say('a', 'b');
  await leave();
  say('c');
  const second = await resume(id, '?from=1');
  say('d');
  outputs.end();
  expect([second.status, await textsOf(second)]).toEqual([200, ['b', 'c', 'd']]);
  expect(await textsOf(await resume(id))).toEqual(['a', 'b', 'c', 'd']);
  expect(await textsOf(await resume(id, '?from=9'))).toEqual([]);
});

test('a client that stays gets the same objects', async () => {
  const { id, response } = await begin();
  outputs.push(started);
  say('a', 'b');
  outputs.end();
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = await linesOf(response);
  expect(await linesOf(await resume(id))).toEqual(lines);
});

test('errors are a part of the stream, also when it is read again', async () => {
  const { id, response } = await begin();
  outputs.fail(new HearthError('model_not_found', 'model "x" not found'));
  const expected = [{ error: 'model "x" not found', code: 'model_not_found' }];
  expect([response.status, await linesOf(response)]).toEqual([200, expected]);
  expect(await linesOf(await resume(id))).toEqual(expected);
});

test('an answer without a client can be canceled', async () => {
  const { id, leave } = await begin();
  outputs.push(started);
  say('a');
  await leave();
  expect(requests.isBusy()).toBe(true);
  expect((await fetch(`${url}/api/requests/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await linesOf(await resume(id))).toEqual([
    expect.objectContaining({ response: 'a' }),
    { error: 'request canceled', code: 'cancelled' },
  ]);
  await vi.waitUntil(() => !requests.isBusy(), { timeout: 30_000 });
});

test('only the same client can read it', async () => {
  const { id } = await begin();
  const ask = (remoteAddress: string) =>
    app.inject({ method: 'GET', url: `/api/requests/${id}/stream`, remoteAddress });
  const { statusCode, body } = await ask('192.0.2.9');
  expect([statusCode, JSON.parse(body).code]).toEqual([404, 'request_not_found']);
  outputs.end();
  expect((await ask('127.0.0.1')).statusCode).toBe(200);
});

test.each(['?from=-1', '?from=x', '?from=1&from=2', '?from='])('%s is refused', async (query) => {
  const { id } = await begin();
  expect((await resume(id, query)).status).toBe(400);
});

test('an answer that was not requested as resumable ends with its connection, and is not kept', async () => {
  outputs.push(started);
  say('a');
  const { id, leave } = await begin({ resumable: false });
  expect((await resume(id)).status).toBe(404);
  await leave();
  await vi.waitUntil(() => !requests.isBusy(), { timeout: 30_000 });
});

test('an answer that is no stream is not resumable', async () => {
  outputs.push(started);
  say('a');
  outputs.end();
  const { id, response } = await begin({ stream: false });
  expect(await response.json()).toMatchObject({ response: 'a' });
  await setImmediate();
  expect((await resume(id)).status).toBe(404);
});

test('a request that only loads a model has one object', async () => {
  const { response } = await begin({ prompt: '' });
  expect(await linesOf(response)).toEqual([expect.objectContaining({ done: true, done_reason: 'load' })]);
});
