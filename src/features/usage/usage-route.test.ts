import { afterAll, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { CallerKey, KeyScope } from '../../base/request/caller-key.ts';
import { dialectTable } from '../../server/compose/dialect-table.ts';
import { RequestTable } from '../../server/http/requests.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { RequestLog } from './log/request-log.ts';
import type { UsageQuery } from './log/usage.ts';
import { requestLogRoute } from './request-log-route.ts';
import { usageRoute } from './usage-route.ts';

const now = Date.UTC(2026, 10, 16);
const clock = createFakeClock(now);
const counts = { requests: 2, failed: 1, promptTokens: 3, cachedTokens: 4, generatedTokens: 5, milliseconds: 6 };
const sum = { ...counts, lastTime: now };
const wireSum = { requests: 2, failed: 1, prompt_tokens: 3, cached_tokens: 4, generated_tokens: 5, duration_ms: 6 };
const queries: UsageQuery[] = [];
const usage = {
  sum: async (query: UsageQuery) => {
    queries.push(query);
    return { groups: [{ name: 'a', ...sum }], total: sum };
  },
};
const log = new RequestLog(3);
const tokens = { promptTokens: 3, cachedTokens: 0, generatedTokens: 1 };
const exchanges = [{ prompt: 'Why?', answer: 'So.' }];
const fields = { key: 'anna', model: 'm', dialect: 'ollama', endpoint: '/api/chat', milliseconds: 1, outcome: 'ok' };
log.add({ id: 'r1', time: now, ...fields, ...tokens, exchanges });

const app = createHttpServer({
  routes: [usageRoute(usage, clock), requestLogRoute(log)],
  dialects: dialectTable,
  requests: new RequestTable({
    clock,
    logger: silentLogger,
    identify: ({ 'x-api-key': scope }) => (scope === undefined ? undefined : keyOf(scope as KeyScope)),
  }),
  maxBodyBytes: 1000,
  isAllowedOrigin: () => true,
  clock,
  logger: silentLogger,
});
afterAll(() => app.close());
beforeEach(() => void queries.splice(0));

function keyOf(scope: KeyScope): CallerKey {
  return { id: `id-${scope}`, name: scope, scope, group: scope, models: [], weight: 1 };
}

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  app.inject({ method: 'GET', url, headers, remoteAddress });

test('usage is summed up by model and since the start unless the query says otherwise', async () => {
  expect((await get('/api/usage')).json()).toEqual({
    by: 'model',
    groups: [{ name: 'a', ...wireSum, last_used_at: '2026-11-16T00:00:00.000Z' }],
    total: wireSum,
  });
  expect((await get('/api/usage?by=day&since=7d')).json()).toMatchObject({
    by: 'day',
    since: '2026-11-09T00:00:00.000Z',
  });
  expect(queries).toEqual([
    { by: 'model', since: Number.NEGATIVE_INFINITY },
    { by: 'day', since: now - 7 * 24 * 3600 * 1000 },
  ]);
});

test('a key sees its own requests, an admin key sees all', async () => {
  await get('/api/usage', { 'x-api-key': 'infer' });
  await get('/api/usage', { 'x-api-key': 'manage' });
  await get('/api/usage', { 'x-api-key': 'admin' });
  expect(queries.map(({ keyId }) => keyId)).toEqual(['id-infer', 'id-manage', undefined]);
});

test.each(['by=user', 'by=', 'by=key&by=day', 'since=yesterday', 'since='])('%s is refused', async (query) => {
  expect((await get(`/api/usage?${query}`)).statusCode).toBe(400);
  expect(queries).toEqual([]);
});

test('the request log has the texts, for an admin key', async () => {
  const { keeps, requests } = (await get('/api/requests/log', { 'x-api-key': 'admin' }, '192.0.2.1')).json();
  expect(keeps).toBe(3);
  expect(requests).toEqual([
    expect.objectContaining({ id: 'r1', key: 'anna', prompt_tokens: 3, outcome: 'ok', exchanges }),
  ]);
});

test('without keys, the request log is only for clients on this machine; other keys never see it', async () => {
  expect((await get('/api/requests/log')).statusCode).toBe(200);
  expect((await get('/api/requests/log', {}, '192.0.2.1')).statusCode).toBe(403);
  expect((await get('/api/requests/log', { 'x-forwarded-for': '192.0.2.1' })).statusCode).toBe(403);
  expect((await get('/api/requests/log', { 'x-api-key': 'manage' })).statusCode).toBe(403);
});
