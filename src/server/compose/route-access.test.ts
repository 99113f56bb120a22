// Every route with every kind of key. The table says which scope a route needs; a route that is not in it fails.

import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyFixture } from '../../../test/support/key-fixture.ts';
import { silentLogger } from '../../base/logger.ts';
import { includesScope, type KeyScope, keyScopes } from '../../base/request/caller-key.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import { formatKey, newSecret } from '../../features/keys/access/key-text.ts';
import { serverFeatures } from '../../features/server-features.ts';
import type { RouteScope } from '../http/access/access-control.ts';
import { RequestTable } from '../http/requests.ts';
import { createHttpServer } from '../http/server.ts';
import { dialectTable } from './dialect-table.ts';
import { listRoutes, type RouteParts } from './list-routes.ts';

const scopes: Readonly<Record<RouteScope, readonly string[]>> = {
  open: [
    'GET /',
    'GET /page/*',
    'GET /health',
    'GET /livez',
    'GET /readyz',
    'GET /api/version',
    'GET /api/session',
    'POST /api/session',
    'DELETE /api/session',
    'GET /api/sign-in',
    'GET /api/sign-in/callback',
    'POST /api/sign-in/device',
    'POST /api/sign-in/device/key',
    'GET /openapi.json',
    'GET /docs',
  ],
  infer: [
    'POST /api/generate',
    'POST /api/chat',
    'POST /api/embed',
    'POST /api/embeddings',
    'POST /api/rerank',
    'POST /api/score',
    'POST /api/compare',
    'POST /api/tokenize',
    'POST /api/detokenize',
    'GET /api/tags',
    'POST /api/show',
    'GET /api/ps',
    'POST /api/me',
    'GET /api/devices',
    'GET /api/queue',
    'GET /api/activity',
    'DELETE /api/requests/:id',
    'GET /api/usage',
    'GET /api/session/keys',
    'POST /api/session/keys',
    'DELETE /api/session/keys/:name',
    'GET /api/requests/:id/stream',
    'GET /api/chats',
    'GET /api/chats/:id',
    'PUT /api/chats/:id',
    'POST /api/chats/:id',
    'DELETE /api/chats/:id',
    'POST /api/chats/:id/share',
    'PUT /api/chats/:id/share',
    'DELETE /api/chats/:id/share',
    'GET /api/shared-chats',
    'GET /api/shared-chats/:link',
    'GET /api/chats/export',
    'POST /api/chats/import',
    'GET /api/library',
    'GET /api/mcp',
    'PUT /api/library',
    'POST /api/documents/text',
    'POST /api/collections',
    'GET /api/collections',
    'GET /api/collections/:id',
    'DELETE /api/collections/:id',
    'POST /api/collections/:id/files',
    'DELETE /api/collections/:id/files/:file',
    'GET /api/collections/:id/files/:file/passages',
    'GET /api/collections/:id/files/:file/content',
    'POST /api/collections/:id/search',
    'POST /v1/vector_stores',
    'GET /v1/vector_stores',
    'GET /v1/vector_stores/:id',
    'POST /v1/vector_stores/:id',
    'DELETE /v1/vector_stores/:id',
    'POST /v1/vector_stores/:id/search',
    'POST /v1/vector_stores/:id/files',
    'GET /v1/vector_stores/:id/files',
    'GET /v1/vector_stores/:id/files/:file',
    'POST /v1/vector_stores/:id/files/:file',
    'DELETE /v1/vector_stores/:id/files/:file',
    'GET /v1/vector_stores/:id/files/:file/content',
    'POST /v1/vector_stores/:id/file_batches',
    'GET /v1/vector_stores/:id/file_batches/:batch',
    'POST /v1/vector_stores/:id/file_batches/:batch/cancel',
    'GET /v1/vector_stores/:id/file_batches/:batch/files',
    'POST /mcp',
    'DELETE /mcp',
    'POST /v1/files',
    'GET /v1/files',
    'GET /v1/files/:id',
    'DELETE /v1/files/:id',
    'GET /v1/files/:id/content',
    'POST /v1/batches',
    'GET /v1/batches',
    'GET /v1/batches/:id',
    'POST /v1/batches/:id/cancel',
    'POST /v1/chat/completions',
    'POST /v1/completions',
    'POST /v1/embeddings',
    'POST /v1/audio/transcriptions',
    'POST /v1/audio/translations',
    'GET /v1/models',
    'GET /v1/models/*',
    'POST /v1/responses',
    'GET /v1/responses/:id',
    'DELETE /v1/responses/:id',
    'GET /v1/responses/:id/input_items',
    'POST /v1/responses/:id/cancel',
    'POST /v1/responses/compact',
    'POST /v1/responses/input_tokens',
    'POST /v1/messages',
    'POST /v1/messages/count_tokens',
    'POST /infill',
    'POST /tokenize',
    'POST /detokenize',
    'POST /apply-template',
    'GET /props',
    'GET /slots',
    'POST /rerank',
    'POST /reranking',
    'POST /v1/rerank',
    'POST /v1/score',
    'POST /score',
    'POST /v1/classify',
    'POST /classify',
    'POST /v1/reranking',
    'POST /v2/rerank',
  ],
  manage: [
    'GET /api/evals',
    'POST /api/evals',
    'POST /api/imatrix',
    'GET /api/imatrix/:digest',
    'POST /api/create',
    'POST /api/copy',
    'DELETE /api/delete',
    'POST /api/pull',
    'GET /api/pulls',
    'POST /api/pulls',
    'POST /api/pulls/:id/pause',
    'DELETE /api/pulls/:id',
    'POST /api/push',
    'GET /api/caches',
    'GET /api/catalogue',
    'HEAD /api/blobs/:digest',
    'POST /api/blobs/:digest',
    'DELETE /v1/models/*',
  ],
  admin: [
    'GET /api/chat-links',
    'DELETE /api/chat-links/:link',
    'GET /metrics',
    'GET /api/key',
    'GET /api/requests/log',
    'POST /api/verify',
    'GET /api/keys',
    'POST /api/keys',
    'DELETE /api/keys/:name',
    'POST /api/keys/:name/rotate',
    'GET /api/users',
    'POST /api/users/:name',
    'DELETE /api/users/:name',
    'GET /api/remotes',
    'POST /api/remotes',
    'DELETE /api/remotes/:name',
    'POST /api/remotes/:name/check',
  ],
};

// Refusals are delayed by less than a second; other timers are timeouts.
const clock: Clock = {
  ...systemClock,
  after: (milliseconds, callback) => systemClock.after(milliseconds < 1000 ? 0 : milliseconds, callback),
};
const fixture = createKeyFixture(clock);
// The services are not called: only the way to a route is tested.
const featureRoutes = serverFeatures.flatMap((feature) => feature.listRoutes());
const parts = { services: { versions: {}, resumable: {} }, version: '', featureRoutes, page: {} };
const routes = listRoutes(parts as unknown as RouteParts).map(({ body, ...route }) => ({
  ...route,
  handle: () => ({ ok: true }),
}));
const app = createHttpServer({
  routes,
  dialects: dialectTable,
  requests: new RequestTable({ clock, logger: silentLogger, identify: fixture.authenticator.identify }),
  access: fixture.authenticator,
  maxBodyBytes: 1000,
  isAllowedOrigin: () => true,
  clock,
  logger: silentLogger,
});
const headersOf: Record<string, IncomingHttpHeaders> = { missing: {} };
beforeAll(async () => {
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  for (const scope of keyScopes) headersOf[scope] = bearer((await fixture.create(scope, { scope })).text);
  const { record } = await fixture.create('other', { scope: 'admin' });
  headersOf['wrong'] = bearer(formatKey({ id: record.id, secret: newSecret() }));
  headersOf['expired'] = bearer((await fixture.create('expired', { scope: 'admin', expiresAt: 0 })).text);
  headersOf['revoked'] = bearer((await fixture.create('revoked', { scope: 'admin' })).text);
  await fixture.editor.revoke('revoked');
});
afterAll(async () => {
  await app.close();
  await fixture.remove();
});

const send = (line: string, caller: string) => {
  const [method = '', path = ''] = line.split(' ');
  const url = path.replace(/:\w+|\*/g, 'x');
  const request = { method: method as 'GET', url, headers: headersOf[caller] ?? {} };
  return app.inject(['POST', 'PUT', 'DELETE'].includes(method) ? { ...request, payload: '{}' } : request);
};

test('every route is in the table, with its scope', () => {
  const actual = routes.map(({ method, path, scope }) => `${scope} ${method} ${path}`).sort();
  const expected = Object.entries(scopes).flatMap(([scope, lines]) => lines.map((line) => `${scope} ${line}`));
  expect(actual).toEqual(expected.sort());
});

describe.each(Object.entries(scopes) as [RouteScope, string[]][])('scope %s', (needed, lines) => {
  const withoutKey = needed === 'open' ? 'ok' : 'Bearer realm="hearth"';
  const isAllowed = (held: KeyScope): boolean => needed === 'open' || includesScope(held, needed);

  test.each(lines)('%s', async (line) => {
    for (const caller of ['missing', 'wrong', 'expired', 'revoked']) {
      const { statusCode, headers } = await send(line, caller);
      expect([caller, headers['www-authenticate'] ?? 'ok']).toEqual([caller, withoutKey]);
      expect(statusCode).toBe(needed === 'open' ? 200 : 401);
    }
    for (const held of keyScopes) {
      const { statusCode } = await send(line, held);
      expect([held, statusCode]).toEqual([held, isAllowed(held) ? 200 : 403]);
    }
  });

  test('a refusal names the scope', async () => {
    for (const line of lines.filter((one) => !one.startsWith('HEAD')))
      for (const held of keyScopes.filter((scope) => !isAllowed(scope)))
        expect((await send(line, held)).body).toContain(`a key with the scope ${needed}`);
  });
});

test('a path or a method that does not exist is not revealed without a key', async () => {
  expect((await send('GET /nowhere', 'missing')).statusCode).toBe(401);
  expect((await send('GET /nowhere', 'infer')).statusCode).toBe(404);
  expect((await send('GET /api/chat', 'missing')).statusCode).toBe(401);
  expect((await send('GET /api/chat', 'infer')).statusCode).toBe(405);
});

test('a preflight request needs no key', async () => {
  const headers = { origin: 'http://localhost:3000' };
  expect((await app.inject({ method: 'OPTIONS', url: '/api/chat', headers })).statusCode).toBe(204);
});

test('errors have the form of their dialect', async () => {
  const limited = await fixture.create('limited', { requestsPerMinute: 3 });
  headersOf['limited'] = { 'x-api-key': limited.text };
  const bodyOf = async (line: string, caller: string) => (await send(line, caller)).json();
  expect(await bodyOf('POST /api/chat', 'wrong')).toEqual({ error: 'the key is not valid', code: 'unauthorized' });
  expect((await bodyOf('POST /v1/chat/completions', 'wrong')).error).toMatchObject({
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  });
  expect((await bodyOf('POST /v1/messages', 'wrong')).error.type).toBe('authentication_error');
  expect((await bodyOf('POST /v2/rerank', 'wrong')).message).toBe('the key is not valid');
  expect((await bodyOf('DELETE /v1/models/*', 'infer')).error.type).toBe('permission_error');
  for (let request = 0; request < 3; request++) await send('POST /v1/messages', 'limited');
  const response = await send('POST /v1/messages', 'limited');
  expect([response.statusCode, response.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect(response.json().error.type).toBe('rate_limit_error');
  expect((await bodyOf('POST /v1/chat/completions', 'limited')).error).toMatchObject({
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
  });
  expect((await bodyOf('POST /api/chat', 'limited')).code).toBe('rate_limited');
});
