import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../../base/logger.ts';
import { dialectTable } from '../../../compose/dialect-table.ts';
import { createOriginCheck } from '../../../http/access/origin.ts';
import { RequestTable } from '../../../http/requests.ts';
import { createHttpServer } from '../../../http/server.ts';
import { keyRoute } from './key-route.ts';

const clock = createFakeClock();
const app = createHttpServer({
  routes: [keyRoute(async () => 'ssh-ed25519 AAAA hearth')],
  dialects: dialectTable,
  requests: new RequestTable({ clock, logger: silentLogger }),
  maxBodyBytes: 1000,
  isAllowedOrigin: createOriginCheck({ allowed: [], isVerifiedHost: () => true }),
  clock,
  logger: silentLogger,
});

const ask = (remoteAddress: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url: '/api/key', remoteAddress, headers });

test('a client on this machine gets the public key', async () => {
  const { statusCode, body } = await ask('127.0.0.1');
  expect([statusCode, JSON.parse(body)]).toEqual([200, { public_key: 'ssh-ed25519 AAAA hearth' }]);
});

test.each([
  ['from another machine', '192.168.0.7', {}],
  ['through a proxy', '127.0.0.1', { 'x-forwarded-for': '192.168.0.7' }],
])('a client %s does not', async (_, address, headers) => {
  const { statusCode, body } = await ask(address, headers);
  expect([statusCode, body]).toEqual([403, expect.not.stringContaining('AAAA')]);
});
