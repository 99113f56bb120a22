// Uploads to registries that differ from the reference one: with resumable uploads or separate storage hosts.

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { createHttpClient } from '../../src/models/registry-client/http/http-client.ts';
import { createAuthorizer } from '../../src/models/registry-client/session/authorizer.ts';
import { createRegistrySession } from '../../src/models/registry-client/session/registry-session.ts';
import { type UploadInput, uploadBlob } from '../../src/models/registry-client/transfers/upload-blob.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-upload-'));
const path = join(folder, 'blob');
const content = randomBytes(1_000_000);
writeFileSync(path, content);
const digest = digestOf(content);
afterAll(() => rmSync(folder, { recursive: true }));

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: () => Promise<Buffer>,
) => void | Promise<void>;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    const body = async (): Promise<Buffer> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    };
    Promise.resolve(handler(request, response, body)).catch(() => response.destroy());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function upload(origin: string, extra: Partial<UploadInput> = {}): Promise<number[]> {
  const http = createHttpClient({ version: '1', clock: systemClock });
  const authorizer = createAuthorizer({
    http,
    clock: systemClock,
    credentials: [],
    loadKey: () => Promise.reject(new Error('there is no key')),
  });
  const repository = { registry: { origin, insecure: true }, path: 'ns/model' };
  const session = createRegistrySession({ http, authorizer, repository, purpose: 'push' });
  const sent: number[] = [];
  try {
    await uploadBlob({
      session,
      blob: { digest, size: content.length },
      path,
      clock: systemClock,
      signal: new AbortController().signal,
      onSent: (bytes) => void sent.push(bytes),
      chunkSize: 300_000,
      ...extra,
    });
    return sent;
  } finally {
    await http.close();
  }
}

test('resumes an interrupted upload at the offset that the registry reports', async () => {
  let received = Buffer.alloc(0);
  let patches = 0;
  let total = 0;
  let finished = '';
  const target = (): string => `/u/1?state=${received.length}`;
  const take = (chunk: Buffer): void => {
    total += chunk.length;
    received = Buffer.concat([received, chunk]);
  };
  const patch: Handler = async (request, response, body) => {
    const [start] = String(request.headers['content-range']).split('-').map(Number);
    if (start !== received.length) return void response.writeHead(416).end();
    if (patches++ !== 1) {
      take(await body());
      return void response.writeHead(202, { location: target() }).end();
    }
    for await (const chunk of request) {
      take(chunk as Buffer);
      if (received.length > 400_000) return void request.socket.destroy();
    }
  };
  const origin = await serve((request, response, body) => {
    switch (request.method) {
      case 'PATCH':
        return patch(request, response, body);
      case 'POST':
        return void response.writeHead(202, { location: target() }).end();
      case 'GET':
        return void response.writeHead(204, { range: `0-${received.length - 1}`, location: target() }).end();
      case 'PUT':
        finished = request.url ?? '';
        return void response.writeHead(201).end();
      default:
        return void response.writeHead(404).end();
    }
  });
  const sent = await upload(origin);
  expect(received.equals(content)).toBe(true);
  expect(total).toBe(content.length);
  expect(finished).toBe(`/u/1?state=1000000&digest=${encodeURIComponent(digest)}`);
  expect(sent.at(-1)).toBe(content.length);
});

test('an unstable connection gets through if the registry keeps received bytes', async () => {
  let received = Buffer.alloc(0);
  const target = (): string => `/u/1?state=${received.length}`;
  const origin = await serve(async (request, response) => {
    switch (request.method) {
      case 'PATCH': {
        const limit = received.length + 100_000;
        for await (const chunk of request) {
          received = Buffer.concat([received, chunk as Buffer]).subarray(0, limit);
          if (received.length >= limit && received.length < content.length) return void request.socket.destroy();
        }
        return void response.writeHead(202, { location: target() }).end();
      }
      case 'POST':
        return void response.writeHead(202, { location: target() }).end();
      case 'GET':
        return void response.writeHead(204, { range: `0-${received.length - 1}`, location: target() }).end();
      case 'PUT':
        return void response.writeHead(201).end();
      default:
        return void response.writeHead(404).end();
    }
  });
  await upload(origin, { chunkSize: content.length });
  expect(received.equals(content)).toBe(true);
});

test('with a storage host, chunks go there without a token, and the combined ETag is sent at the end', async () => {
  const stored: Buffer[] = [];
  const headers: (string | undefined)[] = [];
  const storage = await serve(async (request, response, body) => {
    headers.push(request.headers.authorization);
    stored[Number(request.url?.slice(1))] = await body();
    response.writeHead(200).end();
  });
  let next = 0;
  let finished = '';
  const origin = await serve((request, response) => {
    const { method, url = '' } = request;
    request.resume();
    if (method === 'HEAD') return void response.writeHead(404).end();
    if (method === 'POST') return void response.writeHead(202, { 'docker-upload-location': '/u/1' }).end();
    if (method === 'PATCH') {
      expect(request.headers['x-redirect-uploads']).toBe('1');
      const location = `${storage}/${next++}`;
      return void response.writeHead(307, { location, 'docker-upload-location': `/u/${next}` }).end();
    }
    finished = url;
    response.writeHead(201).end();
  });
  await upload(origin);
  expect(Buffer.concat(stored).equals(content)).toBe(true);
  expect(headers.every((header) => header === undefined)).toBe(true);
  const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();
  const etag = md5(Buffer.concat(stored.map(md5))).toString('hex');
  expect(new URL(finished, origin).searchParams.get('etag')).toBe(`${etag}-4`);
});

test('skips an existing blob, mounts one of another repository, and uploads it if the mount is rejected', async () => {
  const seen: string[] = [];
  const registry = (mountStatus: number, headStatus: number): Handler => {
    return async ({ method, url = '' }, response, body) => {
      await body();
      seen.push(`${method} ${url.replace(/\?.*/, (query) => (query.includes('mount') ? '?mount' : ''))}`);
      if (method === 'HEAD') return void response.writeHead(headStatus).end();
      if (method === 'POST' && url.includes('mount'))
        return void response.writeHead(mountStatus, { location: '/u' }).end();
      response.writeHead(method === 'PUT' ? 201 : 202, { location: '/u' }).end();
    };
  };
  await upload(await serve(registry(201, 200)));
  expect(seen.splice(0)).toEqual([`HEAD /v2/ns/model/blobs/${digest}`]);
  await upload(await serve(registry(201, 404)), { mountFrom: 'other/model' });
  expect(seen.splice(0)).toEqual([`HEAD /v2/ns/model/blobs/${digest}`, 'POST /v2/ns/model/blobs/uploads/?mount']);
  await upload(await serve(registry(403, 404)), { mountFrom: 'other/model', chunkSize: 2_000_000 });
  expect(seen.splice(0).slice(1)).toEqual([
    'POST /v2/ns/model/blobs/uploads/?mount',
    'POST /v2/ns/model/blobs/uploads/',
    'PATCH /u',
    'PUT /u',
  ]);
});

test.each([
  [403, 'registry_denied', /403: not yours/],
  [413, 'registry_failed', /413: not yours/],
])('status %d fails at once', async (status, code, message) => {
  let attempts = 0;
  const origin = await serve(({ method }, response) => {
    if (method === 'HEAD') return void response.writeHead(404).end();
    attempts++;
    response.writeHead(status).end('{"errors":[{"code":"DENIED","message":"not yours"}]}');
  });
  await expect(upload(origin)).rejects.toMatchObject({ code, message });
  expect(attempts).toBe(1);
});
