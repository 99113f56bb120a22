// Clients that send half a request or do not read, against a server on a real socket.

import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import * as zlib from 'node:zlib';
import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { repeatedBlock, writeZstd, zstdFrame } from '../../../test/support/zstd.ts';
import { createDeferred } from '../../base/deferred.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { createOriginCheck } from './access/origin.ts';
import { RequestTable } from './requests.ts';
import { createHttpServer } from './server.ts';
import { sendStream } from './streaming/send-stream.ts';

const lines: string[] = [];
const logger = createLogger({ clock: systemClock, level: 'info', write: (line) => lines.push(line) });
let held = createDeferred<void>();
let holding = 0;
let produced = 0;
let returned = 0;
const text = 'x'.repeat(10_000);

async function* texts(count: number) {
  try {
    for (let index = 0; index < count; index++) {
      produced++;
      yield { text };
    }
  } finally {
    returned++;
  }
}

const common = { dialect: ollamaDialect, method: 'POST', scope: 'infer', summary: 'Do it' } as const;
const body = Type.Object({ text: Type.Optional(Type.String()) });
const stream = { dialect: ollamaDialect, logger };
const app = createHttpServer({
  routes: [
    { ...common, path: '/echo', body, handle: () => ({ ok: true }) },
    {
      ...common,
      path: '/hold',
      body,
      handle: async () => {
        holding++;
        await held.promise;
        return { ok: true };
      },
    },
    {
      ...common,
      path: '/upload',
      readsBody: true,
      handle: async (request) => {
        let bytes = 0;
        for await (const chunk of request.body as AsyncIterable<Uint8Array>) bytes += chunk.length;
        return { bytes };
      },
    },
    { ...common, path: '/short', handle: (_, reply) => sendStream(reply, texts(50), stream) },
    { ...common, path: '/endless', handle: (_, reply) => sendStream(reply, texts(1e9), stream) },
  ],
  dialects: dialectTable,
  requests: new RequestTable({ clock: systemClock, logger }),
  maxBodyBytes: 100_000,
  maxBufferedBytes: 150_000,
  receiveTimeout: 300,
  stallTimeout: 500,
  isAllowedOrigin: createOriginCheck({ allowed: [], isVerifiedHost: () => true }),
  clock: systemClock,
  logger,
});

let port: number;
beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(() => app.close());

async function send(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Everything until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}

const head = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`;
const post = (path: string, length: number): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify({ text: 'x'.repeat(length) }) });

test.each(['/echo', '/upload'])('half a body to %s ends with 408, and the connection is closed', async (path) => {
  const answer = await readAll(await send(`${head(path, 1000)}{"text":`));
  expect(answer).toContain('HTTP/1.1 408');
  expect(answer).toContain('"code":"request_timeout"');
});

test('half a header ends with 408', async () => {
  expect(await readAll(await send('POST /echo HTTP/1.1\r\nhost: x\r\n'))).toContain('HTTP/1.1 408');
});

test('half a body of a request that is refused at once: the connection is closed after the response', async () => {
  expect(await readAll(await send(`${head('/echo', 1000).replace('POST', 'PUT')}{`))).toContain('HTTP/1.1 405');
});

test('a body that arrives slowly but steadily is accepted', async () => {
  const socket = await send(head('/upload', 8));
  for (let byte = 0; byte < 8; byte++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.write('x');
  }
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('{"bytes":8}');
  socket.destroy();
});

test('bodies beyond the budget get 503 and retry-after, until the requests that hold it end', async () => {
  const holding = post('/hold', 90_000);
  await expect.poll(async () => (await post('/echo', 90_000)).status).toBe(503);
  const refused = await post('/echo', 90_000);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(await refused.json()).toMatchObject({ code: 'busy', error: expect.stringContaining('server busy') });
  expect((await post('/echo', 10)).status).toBe(200);
  held.resolve();
  expect((await holding).status).toBe(200);
  await expect.poll(async () => (await post('/echo', 90_000)).status).toBe(200);
});

test('the end of a request whose client leaves is reported once', async () => {
  held = createDeferred<void>();
  const before = holding;
  lines.length = 0;
  const socket = await send(`${head('/hold', 2)}{}`);
  await expect.poll(() => holding).toBe(before + 1);
  socket.destroy();
  const cancelled = () => lines.filter((line) => line.includes('outcome=cancelled'));
  await expect.poll(cancelled).not.toEqual([]);
  held.resolve();
  expect(cancelled()).toHaveLength(1);
});

test('a body above the limit gets 413, with and without a length', async () => {
  expect((await post('/echo', 100_000)).status).toBe(413);
  const chunked = await send('POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  chunked.write(`${(100_001).toString(16)}\r\n${'x'.repeat(100_001)}\r\n`);
  expect(await readAll(chunked)).toContain('HTTP/1.1 413');
});

describe('requests that do not wait for responses', () => {
  const pipelined = (count: number): string => `${head('/hold', 2)}{}`.repeat(count);

  beforeEach(() => {
    held = createDeferred<void>();
  });

  test('are answered, up to 100', async () => {
    const before = holding;
    const socket = await send(pipelined(100));
    await expect.poll(() => holding - before).toBe(100);
    held.resolve();
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.split('HTTP/1.1 200').length === 101) break;
    }
    expect(received.split('{"ok":true}')).toHaveLength(101);
  });

  test('end the connection if there are more, and no further one is started', async () => {
    const before = holding;
    expect(await readAll(await send(pipelined(500)))).toBe('');
    expect(holding - before).toBeLessThanOrEqual(100);
    expect(lines.join('').split('more than 100 requests without a response')).toHaveLength(2);
    held.resolve();
  });
});

test('a finished answer does not wait for its reader', async () => {
  returned = 0;
  const socket = await send(head('/short', 0));
  socket.pause();
  await expect.poll(() => returned).toBe(1);
  socket.destroy();
});

test('a client that does not read is disconnected, and its generator is ended', async () => {
  [returned, produced] = [0, 0];
  const socket = await send(head('/endless', 0));
  socket.pause();
  await expect.poll(() => returned).toBe(1);
  // The kernel buffers some megabytes; the server must not add many.
  expect(produced * text.length).toBeLessThan(64 * 2 ** 20);
  expect(lines.join('')).toContain('the client does not read its response');
  socket.destroy();
});

test('a refused request is logged with its path, its reason and, for 403, its origin', async () => {
  await fetch(`http://127.0.0.1:${port}/nowhere?secret=1`);
  await fetch(`http://127.0.0.1:${port}/echo`, {
    method: 'POST',
    body: '{}',
    headers: { origin: 'https://evil.example' },
  });
  await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body: '{"text": my prompt}' });
  const log = () => lines.join('');
  await expect.poll(log).toMatch(/status=404 .* path=\/nowhere reason="path \/nowhere not found"/);
  await expect.poll(log).toMatch(/status=403 .* origin=https:\/\/evil.example reason="origin https/);
  await expect.poll(log).toMatch(/status=400 .* path=\/echo reason="the request body is not valid JSON/);
  expect(log()).not.toContain('prompt');
});

describe('a compressed body', () => {
  const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(5000) }));
  const sendEncoded = (encoding: string, bytes: Uint8Array<ArrayBuffer>, path = '/echo') =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-encoding': encoding },
      body: bytes,
    });

  const encoded: readonly (readonly [string, Buffer])[] = [
    ['gzip', zlib.gzipSync(body)],
    ['GZIP', zlib.gzipSync(body)],
    ['deflate', zlib.deflateSync(body)],
    ['br', zlib.brotliCompressSync(body)],
    ['identity', body],
    ['zstd', writeZstd(body)],
  ];
  test.each(encoded)('%s is decoded', async (encoding, bytes) => {
    const response = await sendEncoded(encoding, new Uint8Array(bytes));
    expect([response.status, await response.text()]).toEqual([200, '{"ok":true}']);
  });

  test('that is too large when it is decoded is refused, whatever its own size', async () => {
    const bombs = {
      gzip: zlib.gzipSync(JSON.stringify({ text: 'x'.repeat(50_000_000) })),
      zstd: zstdFrame([Buffer.alloc(4 * 20_000, repeatedBlock('x'))]),
    };
    for (const [encoding, bomb] of Object.entries(bombs)) {
      expect(bomb.length).toBeLessThan(100_000);
      expect((await sendEncoded(encoding, new Uint8Array(bomb))).status).toBe(413);
    }
  });

  const damaged: readonly (readonly [string, Uint8Array<ArrayBuffer>, string])[] = [
    ['gzip', new Uint8Array(body), 'cannot be decompressed'],
    ['gzip', new Uint8Array(zlib.gzipSync(body).subarray(0, 30)), 'cannot be decompressed'],
    ['lzma', new Uint8Array(body), 'is not supported; use one of gzip'],
    ['zstd', new Uint8Array(body), 'cannot be decompressed'],
    ['zstd', new Uint8Array(writeZstd(body).subarray(0, 300)), 'cannot be decompressed'],
    ['zstd', new Uint8Array(zstdFrame([repeatedBlock('x')], { windowLog: 27 })), 'cannot be decompressed'],
  ];
  test.each(damaged)('%s that cannot be decoded is a bad request', async (encoding, bytes, message) => {
    const response = await sendEncoded(encoding, bytes);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)]);
  });
});
