// The limits for connections hold with TLS, too, where a socket is a layer above the one of the client.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestAuthority, writeHostCertificate } from '../../../test/support/certificates.ts';
import { createDeferred } from '../../base/deferred.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createTlsListener } from '../../base/tls/tls-listener.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { RequestTable } from './requests.ts';
import { createHttpServer } from './server.ts';
import { sendStream } from './streaming/send-stream.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'));
const authority = createTestAuthority();
const lines: string[] = [];
const logger = createLogger({ clock: systemClock, level: 'info', write: (line) => lines.push(line) });
const tls = createTlsListener({
  paths: writeHostCertificate(folder, authority.issue()),
  clock: systemClock,
  logger,
});
let returned = 0;
const held = createDeferred<void>();

async function* texts() {
  try {
    for (;;) yield { text: 'x'.repeat(10_000) };
  } finally {
    returned++;
  }
}

const common = { dialect: ollamaDialect, method: 'POST', scope: 'infer', summary: 'Do it' } as const;
const app = createHttpServer({
  routes: [
    { ...common, path: '/echo', handle: () => ({ ok: true }) },
    { ...common, path: '/hold', handle: () => held.promise },
    {
      ...common,
      path: '/endless',
      handle: (_, reply) => sendStream(reply, texts(), { dialect: ollamaDialect, logger }),
    },
  ],
  dialects: dialectTable,
  requests: new RequestTable({ clock: systemClock, logger }),
  maxBodyBytes: 100_000,
  receiveTimeout: 1000,
  stallTimeout: 500,
  isAllowedOrigin: () => true,
  tls,
  clock: systemClock,
  logger,
});

let port: number;
beforeAll(async () => {
  await tls.load();
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(async () => {
  held.resolve();
  await app.close();
  rmSync(folder, { recursive: true });
});

async function send(text: string): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert }).on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(text);
  return socket;
}

async function readAll(socket: TLSSocket): Promise<string> {
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}

const head = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;

test.each(['', 'POST /echo HTTP/1.1\r\nhost: x\r\n'])('a client that sends only %j gets 408', async (text) => {
  expect(await readAll(await send(text))).toContain('HTTP/1.1 408');
});

test('a client that leaves ends its generator', async () => {
  const before = returned;
  const socket = await send(head('/endless'));
  await once(socket, 'data');
  socket.destroy();
  await vi.waitFor(() => expect(returned).toBe(before + 1), { timeout: 30_000 });
});

test('a client that does not read is disconnected, and its generator is ended', async () => {
  const before = returned;
  const socket = await send(head('/endless'));
  socket.pause();
  await vi.waitFor(() => expect(returned).toBe(before + 1), { timeout: 30_000 });
  expect(lines.join('')).toContain('the client does not read its response');
  socket.destroy();
});

test('more than 100 requests that do not wait for responses end the connection', async () => {
  expect(await readAll(await send(head('/hold').repeat(500)))).toBe('');
  expect(lines.join('')).toContain('more than 100 requests without a response');
});
