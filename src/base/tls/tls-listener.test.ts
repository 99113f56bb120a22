// TLS with real sockets. The clock of the watch is fake, so that a test decides when files are looked at.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import type { Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestAuthority, writeHostCertificate } from '../../../test/support/certificates.ts';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import { createLogger } from '../logger.ts';
import { createTlsListener, type TlsListener, tlsWatchIntervalMs } from './tls-listener.ts';

const authority = createTestAuthority();
const limits = { keepAliveTimeout: 1000, requestTimeout: 0, connectionTimeout: 0 };

let folder: string;
let clock: FakeClock;
let lines: string[];
let listener: TlsListener;
let server: Server;
let port: number;
/** Writes to the last response. */
let write: (text: string) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'));
  clock = createFakeClock(Date.now());
  lines = [];
  writeHostCertificate(folder, authority.issue());
});
afterEach(async () => {
  listener.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function listen({ clientCa, handshakeTimeoutMs }: { clientCa?: string; handshakeTimeoutMs?: number } = {}) {
  const logger = createLogger({ clock, level: 'info', write: (line) => lines.push(line) });
  const paths = {
    cert: join(folder, 'server.pem'),
    key: join(folder, 'server-key.pem'),
    ...(clientCa === undefined ? {} : { clientCa }),
  };
  listener = createTlsListener({
    paths,
    clock,
    logger,
    handshakeTimeoutMs,
  });
  server = listener.createServer((_, response) => {
    write = (text) => response.write(text);
    response.write('hello');
  }, limits);
  await listener.load();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
}

const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

/** Resolves with the socket when the response has begun; rejects if the connection fails. */
async function open(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.cert, ...options });
  socket.on('secureConnect', () => socket.write(request));
  const ended = once(socket, 'close').then(() => Promise.reject(new Error('closed')));
  await Promise.race([once(socket, 'data'), ended]);
  ended.catch(() => {});
  return socket;
}

// The machine may be busy.
const waiting = { timeout: 30_000 };

/** Lets the watch see files that stay the same. */
async function seeFiles(expected: string): Promise<void> {
  await vi.waitFor(() => {
    clock.advance(tlsWatchIntervalMs);
    expect(lines.join('')).toContain(expected);
  }, waiting);
}

const serialOf = (socket: TLSSocket): string => socket.getPeerCertificate().serialNumber;

test('a client that trusts the authority is served; others refuse the certificate', async () => {
  await listen();
  const socket = await open();
  expect(socket.getProtocol()).toBe('TLSv1.3');
  socket.destroy();
  await expect(open({ ca: createTestAuthority().cert })).rejects.toMatchObject({
    code: expect.stringMatching(/CERT|UNABLE_TO_VERIFY/),
  });
  await expect(open({ servername: 'other.example', host: '127.0.0.1' })).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('TLS 1.2 is accepted, TLS 1.1 is not', async () => {
  await listen();
  (await open({ maxVersion: 'TLSv1.2' })).destroy();
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await expect(open(old)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  expect(lines.join('')).toContain('the client has no TLS 1.2 or newer');
});

test('a request without TLS gets an answer that says so', async () => {
  await listen();
  const [response] = await once(get({ host: '127.0.0.1', port }), 'response');
  expect(response.statusCode).toBe(400);
  const [body] = await once(response, 'data');
  expect(JSON.parse(String(body))).toEqual({ error: 'this server uses TLS: use https:// instead of http://' });
  expect(lines.join('')).toMatch(/refused a TLS connection .*https:\/\/.* address=127\.0\.0\.1/);
});

test('a client that connects and sends nothing is disconnected', async () => {
  await listen({ handshakeTimeoutMs: 50 });
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'close');
  expect(lines.join('')).toContain('did not finish the handshake in time');
});

test('an unfinished handshake does not delay the end of the server', async () => {
  await listen();
  const socket = connect(port, '127.0.0.1').resume();
  await once(server, 'connection');
  listener.close();
  await Promise.all([once(socket, 'close'), new Promise((resolve) => server.close(resolve))]);
});

describe('reload', () => {
  test('new files are used for new connections, and a running stream continues', async () => {
    await listen();
    const running = await open();
    writeHostCertificate(folder, authority.issue({ names: ['127.0.0.1', 'renewed.example'] }));
    await seeFiles('loaded the new TLS certificate');
    const renewed = connectTls({ host: '127.0.0.1', port, ca: authority.cert });
    await once(renewed, 'secureConnect');
    expect(serialOf(renewed)).not.toBe(serialOf(running));
    write('more');
    expect(String((await once(running, 'data'))[0])).toContain('more');
    renewed.destroy();
    running.destroy();
  });

  test('a broken pair is reported, and the old one stays in use until the files are right', async () => {
    await listen();
    const before = await open();
    const { cert } = authority.issue();
    writeFileSync(join(folder, 'server.pem'), cert);
    await seeFiles('but the old ones stay in use: the key');
    const during = await open();
    expect(serialOf(during)).toBe(serialOf(before));
    writeHostCertificate(folder, authority.issue());
    await seeFiles('loaded the new TLS certificate');
    const after = await open();
    expect(serialOf(after)).not.toBe(serialOf(before));
    for (const socket of [before, during, after]) socket.destroy();
  });
});

describe('mutual TLS', () => {
  const clients = createTestAuthority('Clients');
  const known = clients.issue({ names: ['laptop'] });
  const unknown = createTestAuthority('Others').issue({ names: ['laptop'] });
  const listenForClients = (): Promise<void> => {
    const clientCa = join(folder, 'clients.pem');
    writeFileSync(clientCa, clients.cert);
    return listen({ clientCa });
  };

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s: only clients with a certificate are served', async (maxVersion) => {
    await listenForClients();
    (await open({ maxVersion, ...known })).destroy();
    await expect(open({ maxVersion })).rejects.toThrow();
    await expect(open({ maxVersion, ...unknown })).rejects.toThrow();
    await vi.waitFor(() => {
      expect(lines.join('')).toContain('the client has no certificate"');
      expect(lines.join('')).toContain('the client has no certificate that HEARTH_TLS_CLIENT_CA accepts');
    }, waiting);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s: a resumed session is no way around it', async (maxVersion) => {
    await listenForClients();
    let session: Buffer | undefined;
    const socket = connectTls({ host: '127.0.0.1', port, ca: authority.cert, maxVersion, ...unknown });
    socket.on('session', (received) => {
      session = received;
    });
    await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
    await expect(open({ maxVersion, ...unknown, ...(session ? { session } : {}) })).rejects.toThrow();
    await expect(open({ maxVersion, ...(session ? { session } : {}) })).rejects.toThrow();
  });

  test('after the authorities were replaced, sessions of the old ones are not resumed', async () => {
    await listenForClients();
    const first = connectTls({ host: '127.0.0.1', port, ca: authority.cert, ...known });
    const [session] = await once(first, 'session');
    first.destroy();
    writeFileSync(join(folder, 'clients.pem'), createTestAuthority('New clients').cert);
    await seeFiles('loaded the new TLS certificate');
    await expect(open({ ...known, session })).rejects.toThrow();
  });
});
