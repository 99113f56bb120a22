// Callers without a key that send bodies slowly, against a server on a real socket.

import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Type } from 'typebox';
import { afterAll, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { systemClock } from '../../base/time/clock.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { RequestTable } from './requests.ts';
import { createHttpServer } from './server.ts';

const key: CallerKey = { id: '1', name: 'anna', scope: 'infer', group: 'g', models: [], weight: 1 };
const identify = (headers: { readonly authorization?: string }) => (headers.authorization ? key : undefined);
const common = { dialect: ollamaDialect, method: 'POST', tag: 'Server', summary: 'Do it' } as const;
const body = Type.Object({ text: Type.Optional(Type.String()) });
const app = createHttpServer({
  routes: [
    { ...common, path: '/api/session', scope: 'open', body, handle: () => ({ ok: true }) },
    { ...common, path: '/api/generate', scope: 'infer', body, handle: () => ({ ok: true }) },
  ],
  dialects: dialectTable,
  requests: new RequestTable({ clock: systemClock, logger: silentLogger, identify }),
  access: { find: () => undefined, isRequired: () => true, identify, authorize: () => {}, watchKey: () => () => {} },
  maxBodyBytes: 10_000,
  maxBufferedBytes: 16_000,
  receiveTimeout: 60_000,
  isAllowedOrigin: () => true,
  clock: systemClock,
  logger: silentLogger,
});
// Only Linux has all addresses of 127.0.0.0/8.
const addresses = process.platform === 'linux' ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.1'];
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

test('callers without a key do not take the memory for the bodies of keys', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  let refused = 0;
  for (let index = 0; index < 40; index++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: addresses[index % addresses.length] });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (data.includes('503')) refused++;
    });
    await once(socket, 'connect');
    // All but the last byte.
    socket.write(`POST /api/session HTTP/1.1\r\nhost: a\r\ncontent-length: 901\r\n\r\n{"text":"${'a'.repeat(890)}"`);
  }
  const ask = async (headers: Record<string, string>) => {
    const init = { method: 'POST', headers, body: JSON.stringify({ text: 'a'.repeat(8000) }) };
    return (await fetch(`http://127.0.0.1:${port}/api/generate`, init)).status;
  };
  for (const socket of sockets.slice(20)) socket.write('}');
  await expect.poll(() => refused).toBeGreaterThan(0);
  expect(await ask({ authorization: 'Bearer key' })).toBe(200);
});
