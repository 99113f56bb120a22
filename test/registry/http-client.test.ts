// The client of libraries against servers on this machine that misbehave.

import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../../src/kernel/fake-clock.ts';
import { createHttpClient, createPublicLookup, type HttpClient } from '../../src/registry/http-client.ts';
import { stallLimit } from '../../src/registry/limits.ts';
import { readAnswer } from '../../src/registry/read-answer.ts';

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
const get = (url: URL, extra: object = {}) => client().send({ method: 'GET', url, signal: never, ...extra });

test('asks for bytes as they are, and says who it is', async () => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const headers = JSON.parse((await readAnswer(await get(url), 10_000, 'x')).toString());
  expect(headers).toMatchObject({
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^hearth\/1 \(/),
  });
});

test.each(['gzip', 'br', 'zstd', 'deflate, gzip'])('an answer in %s is refused unread', async (encoding) => {
  const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('x'));
  await expect(get(url)).rejects.toThrow(`answers in ${encoding}, which was not asked for`);
});

test('redirects are answers, not something to follow', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const response = await get(url);
  expect([response.status, response.header('location')]).toEqual([302, '/elsewhere']);
  response.drop();
});

test('silence before the head and in the middle of a body ends by our clock', async () => {
  const silent = get(await serve(() => {}));
  silent.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  clock.advance(stallLimit);
  await expect(silent).rejects.toThrow(/nothing came for 30 seconds/);

  const halfway = await get(
    await serve((_, response) => response.writeHead(200, { 'content-length': 10 }).write('12345')),
  );
  const read = readAnswer(halfway, 100, 'x');
  read.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  clock.advance(stallLimit + 1000);
  await expect(read).rejects.toThrow(/nothing came for 30 seconds/);
});

test('a reader that takes its time is not taken for a sender that does', async () => {
  const response = await get(await serve((_, answer) => answer.end('12345')));
  const iterator = response.body[Symbol.asyncIterator]();
  expect((await iterator.next()).value?.toString()).toBe('12345');
  clock.advance(10 * stallLimit);
  expect((await iterator.next()).done).toBe(true);
});

test('a body that ends too soon is an error', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('12345', () => response.destroy());
  });
  await expect(readAnswer(await get(url), 100, 'x')).rejects.toMatchObject({ code: 'library_failed' });
});

test('an answer without end is cut off', async () => {
  const url = await serve((_, response) => {
    const more = (): void => void response.write(Buffer.alloc(65_536), () => response.destroyed || more());
    more();
  });
  await expect(readAnswer(await get(url), 1_000_000, 'a thing')).rejects.toThrow(
    'a thing of more than 1000000 bytes: refused',
  );
});

test('headers without end, and what is no HTTP at all', async () => {
  const junk = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write('SSH-2.0-hello\r\n'));
  });
  await new Promise<void>((resolve) => junk.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(junk.address() as AddressInfo).port}/`);
  await expect(get(url)).rejects.toMatchObject({ code: 'library_failed' });
  junk.close();

  const long = await serve((_, response) => {
    for (let index = 0; index < 1000; index++) response.setHeader(`x-${index}`, 'y'.repeat(100));
    response.end();
  });
  await expect(get(long)).rejects.toThrow('headers without end');
});

test.each([
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'http://localhost:1/',
  'http://169.254.169.254/',
  'http://[::ffff:10.0.0.1]/',
])('nobody else can send us to %s', async (url) => {
  await expect(get(new URL(url), { guarded: true })).rejects.toMatchObject({
    code: 'library_lied',
    message: expect.stringContaining('an address of this network: refused'),
  });
});

test('names that lead into this network lead nowhere', async () => {
  const resolveTo = (...addresses: string[]) =>
    createPublicLookup((_hostname, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
    );
  const lookup = (...addresses: string[]) =>
    new Promise((resolve, reject) =>
      resolveTo(...addresses)('innocent.example', { all: true }, (error, found) =>
        error ? reject(error) : resolve(found),
      ),
    );
  await expect(lookup('93.184.216.34', '127.0.0.1')).rejects.toThrow(
    'innocent.example, which is an address of this network',
  );
  await expect(lookup('93.184.216.34')).resolves.toEqual([{ address: '93.184.216.34', family: 4 }]);
});

test('a caller that goes is a cancellation', async () => {
  const caller = new AbortController();
  const request = get(await serve(() => {}), { signal: caller.signal });
  setTimeout(() => caller.abort(), 50);
  await expect(request).rejects.toMatchObject({ code: 'cancelled' });
});

test.each([
  ['ECONNREFUSED', 'http://127.0.0.1:1/', 'nothing answers there'],
  ['no host', 'http://nowhere.invalid/', /no such host|cannot be looked up/],
])('%s is a sentence', async (_, url, message) => {
  await expect(get(new URL(url))).rejects.toThrow(message);
});
