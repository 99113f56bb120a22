// The HTTP client of the registry client against misbehaving local servers.

import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createGuardedLookup } from '../../src/base/net/guarded-lookup.ts';
import { createHttpClient, type HttpClient } from '../../src/models/registry-client/http/http-client.ts';
import { defaultStallTimeout } from '../../src/models/registry-client/http/limits.ts';
import { readBoundedBody } from '../../src/models/registry-client/http/read-response.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const clock = createFakeClock();
const clients: HttpClient[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const never = new AbortController().signal;
function client(): HttpClient {
  const created = createHttpClient({ version: '1', clock });
  clients.push(created);
  return created;
}
async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
}
const destination = { kind: 'named', addresses: [] } as const;
const get = (url: URL, extra: object = {}) =>
  client().send({ method: 'GET', url, destination, signal: never, ...extra });

test('requests identity encoding and sends a user agent', async () => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const headers = JSON.parse((await readBoundedBody(await get(url), 10_000, 'x')).toString());
  expect(headers).toMatchObject({
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^hearth\/1 \(/),
  });
});

test('the user agent begins with the version of Ollama if there is one', async () => {
  const url = await serve((request, response) => response.end(request.headers['user-agent']));
  const asOllama = createHttpClient({ version: '1', ollamaVersion: '0.34.4', clock });
  const response = await asOllama.send({ method: 'GET', url, destination, signal: never });
  expect((await readBoundedBody(response, 1000, 'x')).toString()).toMatch(
    /^ollama\/0\.34\.4 \((amd64|arm64) (linux|darwin|windows)\) hearth\/1 \(/,
  );
  await asOllama.close();
});

test.each(['gzip', 'br', 'zstd', 'deflate, gzip'])(
  'a response encoded with %s is rejected unread',
  async (encoding) => {
    const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('x'));
    await expect(get(url)).rejects.toThrow('sent an unrequested content encoding');
  },
);

test('redirects are returned, not followed', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const response = await get(url);
  expect([response.status, response.header('location')]).toEqual([302, '/elsewhere']);
  response.drop();
});

test('a stall before the head or within the body ends after the stall timeout', async () => {
  const silent = get(await serve(() => {}));
  silent.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  clock.advance(defaultStallTimeout);
  await expect(silent).rejects.toThrow(/no data for 30 seconds/);

  const halfway = await get(
    await serve((_, response) => response.writeHead(200, { 'content-length': 10 }).write('12345')),
  );
  const read = readBoundedBody(halfway, 100, 'x');
  read.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  clock.advance(defaultStallTimeout + 1000);
  await expect(read).rejects.toThrow(/no data for 30 seconds/);
});

test('a slow reader does not count as a stalled sender', async () => {
  const response = await get(await serve((_, answer) => answer.end('12345')));
  const iterator = response.body[Symbol.asyncIterator]();
  expect((await iterator.next()).value?.toString()).toBe('12345');
  clock.advance(10 * defaultStallTimeout);
  expect((await iterator.next()).done).toBe(true);
});

test('a premature end of the body is an error', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('12345', () => response.destroy());
  });
  await expect(readBoundedBody(await get(url), 100, 'x')).rejects.toMatchObject({ code: 'registry_failed' });
});

test('an endless response is aborted', async () => {
  const url = await serve((_, response) => {
    const more = (): void => void response.write(Buffer.alloc(65_536), () => response.destroyed || more());
    more();
  });
  await expect(readBoundedBody(await get(url), 1_000_000, 'a thing')).rejects.toThrow(
    'a thing of more than 1000000 bytes: refused',
  );
});

test('oversized headers and a server that does not speak HTTP are errors', async () => {
  const junk = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write('SSH-2.0-hello\r\n'));
  });
  await new Promise<void>((resolve) => junk.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(junk.address() as AddressInfo).port}/`);
  await expect(get(url)).rejects.toMatchObject({ code: 'registry_failed' });
  junk.close();

  const long = await serve((_, response) => {
    for (let index = 0; index < 1000; index++) response.setHeader(`x-${index}`, 'y'.repeat(100));
    response.end();
  });
  await expect(get(long)).rejects.toThrow('response headers too large');
});

test.each([
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'http://localhost:1/',
  'http://169.254.169.254/',
  'http://[::ffff:10.0.0.1]/',
])('a registry cannot redirect to %s', async (url) => {
  await expect(get(new URL(url), { destination: { kind: 'referred', reach: 'public' } })).rejects.toMatchObject({
    code: 'registry_invalid_response',
    message: expect.stringContaining('a private address: refused'),
  });
});

test.each([
  ['private', 'http://127.0.0.1:1/'],
  ['private', 'http://169.254.169.254/'],
  ['loopback', 'http://169.254.169.254/'],
  ['loopback', 'http://0.0.0.0:1/'],
])('a registry with the reach %s cannot redirect to %s', async (reach, url) => {
  await expect(get(new URL(url), { destination: { kind: 'referred', reach } })).rejects.toMatchObject({
    code: 'registry_invalid_response',
  });
});

test('a connection goes to the address that was checked, whatever the name resolves to', async () => {
  const url = await serve((request, response) => response.end(request.headers.host));
  const named = new URL(`http://rebind.invalid:${url.port}/`);
  const pinned = { kind: 'named', addresses: [{ address: '127.0.0.1', family: 4 }] };
  const shared = client();
  const send = (to: object) =>
    shared.send({ method: 'GET', url: named, destination: to as typeof destination, signal: never });
  expect((await readBoundedBody(await send(pinned), 100, 'x')).toString()).toBe(named.host);
  // An idle connection is not reused for other addresses.
  const other = { kind: 'named', addresses: [{ address: '127.0.0.2', family: 4 }] };
  await expect(send(other)).rejects.toThrow('connection refused');
});

test('names that resolve to a private address are refused', async () => {
  const resolveTo = (...addresses: string[]) =>
    createGuardedLookup({
      reach: 'public',
      refuse: (hostname) => new Error(`${hostname} is private`),
      resolve: (_hostname, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
    });
  const lookup = (...addresses: string[]) =>
    new Promise((resolve, reject) =>
      resolveTo(...addresses)('innocent.example', { all: true }, (error, found) =>
        error ? reject(error) : resolve(found),
      ),
    );
  await expect(lookup('93.184.216.34', '127.0.0.1')).rejects.toThrow('innocent.example is private');
  await expect(lookup('93.184.216.34')).resolves.toEqual([{ address: '93.184.216.34', family: 4 }]);
});

test('an abort by the caller gives `cancelled`', async () => {
  const caller = new AbortController();
  const request = get(await serve(() => {}), { signal: caller.signal });
  setTimeout(() => caller.abort(), 50);
  await expect(request).rejects.toMatchObject({ code: 'cancelled' });
});

test.each([
  ['ECONNREFUSED', 'http://127.0.0.1:1/', 'connection refused'],
  ['no host', 'http://nowhere.invalid/', /host not found; check its name and the network connection/],
])('%s has a clear message', async (_, url, message) => {
  await expect(get(new URL(url))).rejects.toThrow(message);
});

test('a proxy is used for public hosts, not for private ones', async () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('through the proxy');
  });
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  servers.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const proxied = createHttpClient({ version: '1', clock, proxy: { http: address, https: address, except: '' } });
  clients.push(proxied);
  const send = (url: string) => proxied.send({ method: 'GET', url: new URL(url), destination, signal: never });
  await expect(send('https://203.0.113.7/v2/')).rejects.toMatchObject({ code: 'registry_failed' });
  expect(seen).toEqual(['CONNECT 203.0.113.7:443']);
  const own = await serve((_, response) => response.end('direct'));
  expect((await readBoundedBody(await send(own.href), 100, 'x')).toString()).toBe('direct');
  expect(seen).toHaveLength(1);
});

test('reused buffers never show earlier content', async () => {
  const bodies = Array.from({ length: 6 }, (_, index) => Buffer.alloc(3_000_000 + index, index + 1));
  const url = await serve((request, response) => response.end(bodies[Number(request.url?.slice(1))]));
  const shared = client();
  const read = async (index: number): Promise<boolean> => {
    const response = await shared.send({ method: 'GET', url: new URL(`/${index}`, url), destination, signal: never });
    let correctBytes = 0;
    for await (const chunk of response.body) {
      // Delays the check as a slow disk would.
      await new Promise((resolve) => setImmediate(resolve));
      correctBytes += chunk.every((byte) => byte === index + 1) ? chunk.length : 0;
      shared.recycle(chunk);
    }
    return correctBytes === bodies[index]?.length;
  };
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(bodies.map((_, index) => read(index)))).toEqual(bodies.map(() => true));
});
