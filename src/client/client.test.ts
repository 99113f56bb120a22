import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDeferred } from '../base/deferred.ts';
import { digestOf } from '../base/digest.ts';
import { createClient, type HearthClient } from './client.ts';

const opened: { server: Server; client: HearthClient }[] = [];
afterEach(() => {
  for (const { server, client } of opened.splice(0)) {
    client.close();
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server with this listener, and returns a client of it. */
async function clientOf(listener: RequestListener): Promise<HearthClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  opened.push({ server, client });
  return client;
}

async function collect<T>(objects: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const object of objects) all.push(object);
  return all;
}

test.each([
  ['has its status, message and code', ',"code":"model_not_found"', 'model_not_found'],
  ['of a server without codes has none', '', undefined],
  ['with an unknown code has none', ',"code":"made_up"', undefined],
  ['with a code that every object has has none', ',"code":"constructor"', undefined],
  ['with a code that is not a string has none', ',"code":5', undefined],
])('an error response %s', async (_, member, code) => {
  const client = await clientOf((_request, response) => response.writeHead(404).end(`{"error":"not here"${member}}`));
  await expect(client.show({ model: 'x' })).rejects.toMatchObject({
    kind: 'refused',
    status: 404,
    message: 'not here',
    code,
  });
});

test('an error response without a message is described by its status', async () => {
  const client = await clientOf((_, response) => response.writeHead(502).end());
  await expect(client.list()).rejects.toMatchObject({
    kind: 'refused',
    message: 'the server answered with status 502',
  });
});

test.each<[string, RequestListener, string]>([
  [
    'a web page',
    (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end('<p>'),
    'answered text/html',
  ],
  [
    'a page for a path that it does not have',
    (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end(),
    'answered text/html',
  ],
  ['another path', (_, response) => response.writeHead(404).end('404 page not found'), 'has no /api/version'],
  ['JSON of another kind', (_, response) => response.end('{"name":"printer"}'), 'has no /api/version'],
  ['another protocol', (_, response) => response.socket?.end('220 smtp.example ESMTP\r\n'), 'does not answer in HTTP'],
])('a program that answers %s is not a server', async (_, listener, answer) => {
  const client = await clientOf(listener);
  const { host } = new URL(client.url);
  await expect(client.version()).rejects.toMatchObject({
    kind: 'foreign',
    message: `${host} is not Hearth or Ollama (it ${answer})`,
  });
});

test('the error page of a proxy is not printed, and says nothing about the server', async () => {
  const client = await clientOf((_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>'));
  await expect(client.version()).rejects.toMatchObject({
    kind: 'refused',
    message: 'the server answered with status 502',
  });
});

test('an unreachable server has its own kind of error', async () => {
  const client = await clientOf(() => {});
  const { server } = opened[0] as { server: Server };
  await new Promise((resolve) => server.close(resolve));
  await expect(client.list()).rejects.toMatchObject({ kind: 'unreachable', message: `no server at ${client.url}` });
});

test('objects do not depend on where the chunks end', async () => {
  const lines = Buffer.from('{"status":"größer 🦙"}\n{"status":"success"}');
  const client = await clientOf((_, response) => {
    for (const byte of lines) response.write(Buffer.of(byte));
    response.end();
  });
  expect(await collect(client.create({ model: 'x' }))).toEqual([{ status: 'größer 🦙' }, { status: 'success' }]);
});

test('an error in a stream is thrown with its code, after the objects before it', async () => {
  const client = await clientOf((_, response) =>
    response.end('{"status":"a"}\n{"error":"disk full","code":"disk_full"}\n'),
  );
  const seen: string[] = [];
  const loop = async (): Promise<void> => {
    for await (const { status } of client.pull({ model: 'x' })) seen.push(status);
  };
  await expect(loop()).rejects.toMatchObject({
    kind: 'refused',
    message: 'disk full',
    code: 'disk_full',
    status: undefined,
  });
  expect(seen).toEqual(['a']);
});

test.each([
  ['ends before its last object', '{"status":"a"}\n', 'before it was complete'],
  ['is not JSON', '<html>', 'not JSON'],
  ['is not an object', '42\n', 'not a JSON object'],
])('a stream that %s is broken', async (_, body, message) => {
  const client = await clientOf((_request, response) => response.end(body));
  await expect(collect(client.create({ model: 'x' }))).rejects.toMatchObject({
    kind: 'broken',
    message: expect.stringContaining(message),
  });
});

test('a response that is cut off is broken, not complete', async () => {
  const client = await clientOf((request, response) => {
    response.write('{"status":"a"}\n', () => request.socket.destroy());
  });
  await expect(collect(client.create({ model: 'x' }))).rejects.toMatchObject({ kind: 'broken' });
});

test('a signal ends a stream and closes the connection', async () => {
  const closed = createDeferred<void>();
  const client = await clientOf((_, response) => {
    response.on('close', closed.resolve);
    response.write('{"status":"a"}\n');
  });
  const abort = new AbortController();
  const loop = async (): Promise<void> => {
    for await (const _ of client.create({ model: 'x' }, abort.signal)) abort.abort();
  };
  await expect(loop()).rejects.toMatchObject({ kind: 'cancelled' });
  await closed.promise;
});

test('leaving the loop closes the connection', async () => {
  const closed = createDeferred<void>();
  const client = await clientOf((_, response) => {
    response.on('close', closed.resolve);
    response.write('{"status":"a"}\n');
  });
  for await (const _ of client.create({ model: 'x' })) break;
  await closed.promise;
});

test('calls share one connection, and a stale connection is replaced', async () => {
  const ports = new Set<number>();
  const client = await clientOf((request, response) => {
    ports.add(request.socket.remotePort as number);
    response.end('{"models":[]}');
  });
  for (let call = 0; call < 3; call++) await client.list();
  expect(ports.size).toBe(1);
  opened[0]?.server.closeAllConnections();
  expect(await client.list()).toEqual({ models: [] });
});

test('a blob is uploaded unchanged; an early error response is reported', async () => {
  const received: Buffer[] = [];
  const client = await clientOf((request, response) => {
    if (request.url?.endsWith(digestOf('refused'))) response.writeHead(400).end('{"error":"digest mismatch"}');
    else if (request.method === 'HEAD') response.writeHead(404).end();
    else request.on('data', (chunk) => received.push(chunk)).on('end', () => response.writeHead(201).end());
  });
  const source = async function* () {
    yield Buffer.from('abc');
    yield Buffer.from('def');
  };
  expect(await client.hasBlob(digestOf('abcdef'))).toBe(false);
  await client.uploadBlob(digestOf('abcdef'), { source: source(), bytes: 6 });
  expect(Buffer.concat(received).toString()).toBe('abcdef');
  const refused = client.uploadBlob(digestOf('refused'), { source: source(), bytes: 6 });
  await expect(refused).rejects.toMatchObject({ kind: 'refused', status: 400 });
});

test('an upload fails with the error of its source', async () => {
  const client = await clientOf((request) => void request.resume());
  const source = async function* () {
    yield Buffer.from('abc');
    throw new Error('read error');
  };
  await expect(client.uploadBlob(digestOf('x'), { source: source(), bytes: 6 })).rejects.toThrow('read error');
});
