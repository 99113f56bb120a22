import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { HearthError } from '../../base/errors.ts';
import { createLogger, silentLogger } from '../../base/logger.ts';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { createAudit } from './audit.ts';
import { RequestTable } from './requests.ts';
import { createHttpServer } from './server.ts';

const clock = createFakeClock();
let lines: Record<string, unknown>[] = [];
const logger = createLogger({
  clock,
  level: 'info',
  format: 'json',
  write: (line) => lines.push(JSON.parse(line)),
});
const key: CallerKey = { id: 'a1', name: 'anna', scope: 'manage', group: 'a1', models: [], weight: 1 };
const common = { dialect: ollamaDialect, scope: 'manage', summary: 'Do it' } as const;
const app = createHttpServer({
  routes: [
    {
      ...common,
      method: 'POST',
      path: '/create',
      body: Type.Object({ model: Type.Optional(Type.String()) }),
      handle: () => ({ ok: true }),
    },
    {
      ...common,
      method: 'DELETE',
      path: '/models/:name',
      handle: () => {
        throw new HearthError('model_not_found', 'not there');
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/session',
      handle: ({ report }) => {
        report.subject = 'bob';
        return { ok: true };
      },
    },
    { ...common, method: 'POST', path: '/chat', handle: () => ({ ok: true }) },
  ],
  dialects: dialectTable,
  requests: new RequestTable({
    clock,
    logger: silentLogger,
    identify: (headers) => (headers['x-api-key'] === 'secret' ? key : undefined),
    audit: createAudit(
      {
        'POST /create': { action: 'create', subject: ({ body }) => [body['model'], body['other']] },
        'DELETE /models/:name': { action: 'delete', subject: ({ params }) => [params['name']] },
        'POST /session': { action: 'begin session', subject: () => [] },
      },
      logger,
    ),
  }),
  maxBodyBytes: 1000,
  isAllowedOrigin: () => true,
  clock,
  logger: silentLogger,
});
let url: string;
beforeAll(async () => {
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());
beforeEach(() => {
  lines = [];
});

/** Resolves with the id of the request when it is logged. */
async function send(line: string, { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {}) {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  await response.text();
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 30_000 });
  return response.headers.get('x-request-id');
}

test('a request is one line with action, subject, key, address, outcome and request id', async () => {
  const request = await send('POST /create', { body: '{"model":"mine"}', headers: { 'x-api-key': 'secret' } });
  expect(lines).toEqual([
    {
      time: expect.any(String),
      level: 'info',
      message: 'audit',
      action: 'create',
      subject: 'mine',
      key: 'anna',
      address: '127.0.0.1',
      outcome: 'ok',
      request,
    },
  ]);
});

test('without keys, the line has no key', async () => {
  await send('POST /create', { body: '{"model":"mine"}' });
  expect(lines[0]).not.toHaveProperty('key');
});

test.each([
  ['fails', 'DELETE /models/a%2Fb', {}, { subject: 'a/b', outcome: 'model_not_found' }],
  ['is refused', 'POST /create', { body: '{"model":5}' }, { outcome: 'bad_request' }],
  ['has no valid body', 'POST /create', { body: 'x' }, { subject: '', outcome: 'bad_request' }],
  ['does not name its subject', 'POST /session', {}, { subject: 'bob', outcome: 'ok' }],
])('a request that %s is logged, too', async (_, line, request, fields) => {
  await send(line, request);
  expect(lines).toMatchObject([{ message: 'audit', ...fields }]);
});

test('a long subject is cut', async () => {
  await send('POST /create', { body: JSON.stringify({ model: 'x'.repeat(500) }) });
  expect(lines[0]?.['subject']).toBe('x'.repeat(300));
});

test('other routes are not in the log', async () => {
  await (await fetch(`${url}/chat`, { method: 'POST' })).text();
  await send('POST /session');
  expect(lines).toMatchObject([{ action: 'begin session' }]);
});
