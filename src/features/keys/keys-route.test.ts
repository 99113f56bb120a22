import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { createKeyFixture, type KeyFixture } from '../../../test/support/key-fixture.ts';
import { systemClock } from '../../base/time/clock.ts';
import { keysRoutes } from './keys-route.ts';

let fixture: KeyFixture;
afterEach(() => fixture.remove());

/** The status of the first key of a caller without one. */
async function createFirstKey(headers: Readonly<Record<string, string>>, remoteAddress = '127.0.0.1'): Promise<number> {
  fixture = createKeyFixture(systemClock);
  const app = Fastify();
  const scope = { id: '1', client: 'c', signal: new AbortController().signal };
  for (const { method, path, handle } of keysRoutes(fixture.editor))
    app.route({
      method,
      url: path,
      handler: async (request, reply) => handle(Object.assign(request, { scope }), reply),
    });
  app.setErrorHandler((error: Error, _, reply) => reply.code(403).send({ error: error.message }));
  const payload = { name: 'mine', scope: 'admin' };
  const { statusCode } = await app.inject({ method: 'POST', url: '/api/keys', headers, remoteAddress, payload });
  expect(fixture.editor.list()).toHaveLength(statusCode === 200 ? 1 : 0);
  return statusCode;
}

test.each([
  ['a program on this machine', { host: 'localhost:11434' }],
  ["the server's own page", { host: 'localhost:11434', origin: 'http://localhost:11434' }],
])('%s can create the first key', async (_, headers) => {
  expect(await createFirstKey(headers)).toBe(200);
});

test.each<[string, Record<string, string>, string?]>([
  ['a page of another port', { host: 'localhost:11434', origin: 'http://localhost:3000' }],
  ['a page without an origin', { host: 'localhost:11434', origin: 'null' }],
  ['a caller behind a proxy', { host: 'localhost:11434', 'x-forwarded-for': '192.0.2.1' }],
  ['another machine', { host: 'localhost:11434' }, '192.0.2.1'],
])('%s cannot', async (_, headers, address) => {
  expect(await createFirstKey(headers, address)).toBe(403);
});
