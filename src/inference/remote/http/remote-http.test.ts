import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { runInRequest } from '../../../base/request/request-scope.ts';
import { createLoopGuard } from '../loop-guard.ts';
import { checkEndpoint } from '../remotes/remote-record.ts';
import { createRemoteHttp, type RemoteRequest } from './remote-http.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
let handle: Handle = () => {};
const server = createServer((request, response) => handle(request, response));
const folder = mkdtempSync(join(tmpdir(), 'hearth-remote-http-'));
const keyFile = join(folder, 'key');
const clock = createFakeClock();
const tls = { ca: '', ownCa: '', nodeCa: '', cert: '', key: '' };
const loopGuard = createLoopGuard('here');
const http = createRemoteHttp({ version: '1', clock, environment: { GPU_KEY: 'from-env' }, tls, loopGuard });
const request = (more: Partial<RemoteRequest> = {}): RemoteRequest => ({
  method: 'POST',
  path: '/v1/x',
  body: {},
  timeout: 1000,
  signal: new AbortController().signal,
  ...more,
});
let url = '';
const endpoint = (keyRef = '') => ({ ...checkEndpoint({ url, keyRef }), remote: 'gpu' });

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/v1`;
  writeFileSync(keyFile, 'from-file\n', { mode: 0o600 });
});
afterEach(() => {
  handle = () => {};
});
afterAll(async () => {
  await http.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

test('a request that belongs to a trace hands it on, with this server as the parent', async () => {
  const seen: unknown[] = [];
  handle = ({ headers: { traceparent, tracestate } }, response) => {
    seen.push([traceparent, tracestate]);
    response.end('{}');
  };
  const trace = { traceId: 'a'.repeat(32), parentId: 'b'.repeat(16), spanId: 'c'.repeat(16), isSampled: true };
  const scope = { id: 'r', client: 'c', signal: new AbortController().signal };
  await runInRequest({ ...scope, trace: { ...trace, state: 'tool=1' } }, () => http.call(endpoint(), request()));
  await runInRequest({ ...scope, trace: { ...trace, isSampled: false } }, () => http.call(endpoint(), request()));
  await runInRequest(scope, () => http.call(endpoint(), request()));
  const ids = `00-${'a'.repeat(32)}-${'c'.repeat(16)}`;
  expect(seen).toEqual([
    [`${ids}-01`, 'tool=1'],
    [`${ids}-00`, undefined],
    [undefined, undefined],
  ]);
});

test('a request has the path below the address, the body and the key of a variable or a file', async () => {
  const seen: unknown[] = [];
  handle = ({ method, url: path, headers }, response) => {
    seen.push([method, path, headers.authorization]);
    response.end('{"ok":true}');
  };
  expect(await http.call(endpoint('env:GPU_KEY'), request())).toEqual({ ok: true });
  await http.call(endpoint(`file:${keyFile}`), request({ method: 'GET', path: '/v1/models' }));
  await http.call(endpoint(), request());
  expect(seen).toEqual([
    ['POST', '/base/v1/x', 'Bearer from-env'],
    ['GET', '/base/v1/models', 'Bearer from-file'],
    ['POST', '/base/v1/x', undefined],
  ]);
});

test('a request names this server', async () => {
  handle = ({ headers }, response) => response.end(JSON.stringify({ via: headers['x-hearth-via'] }));
  expect(await http.call(endpoint(), request())).toEqual({ via: 'here' });
});

test('a key that is missing, or that others can read, is not sent', async () => {
  const denied = { code: 'remote_denied', message: 'the key or the authorities of the remote "gpu" cannot be read' };
  const hidden = (message: string) => ({ ...denied, cause: { message: expect.stringContaining(message) } });
  await expect(http.call(endpoint('env:NOTHING'), request())).rejects.toMatchObject(hidden('env:NOTHING has no key'));
  if (process.platform === 'win32') return;
  chmodSync(keyFile, 0o644);
  await expect(http.call(endpoint(`file:${keyFile}`), request())).rejects.toMatchObject(hidden('other users can read'));
  chmodSync(keyFile, 0o600);
});

test('no key is sent to a reserved address', async () => {
  const metadata = { ...endpoint('env:GPU_KEY'), url: 'http://169.254.169.254' };
  await expect(http.call(metadata, request())).rejects.toMatchObject({
    code: 'remote_failed',
    message: expect.stringContaining('cannot be at 169.254.169.254'),
  });
});

test('a redirect is not followed', async () => {
  let requests = 0;
  handle = (_, response) => {
    requests++;
    response.writeHead(307, { location: '/elsewhere' }).end();
  };
  await expect(http.call(endpoint('env:GPU_KEY'), request())).rejects.toThrow('redirects to another address');
  expect(requests).toBe(1);
});

test('an error status is an error with the message of the remote', async () => {
  handle = (_, response) => response.writeHead(400).end('{"error":{"message":"too hot"}}');
  await expect(http.call(endpoint(), request())).rejects.toMatchObject({
    code: 'bad_request',
    message: 'the remote "gpu" refused the request: too hot',
  });
});

test('an answer that is not JSON is a failure', async () => {
  handle = (_, response) => response.end('<html>');
  await expect(http.call(endpoint(), request())).rejects.toMatchObject({ code: 'remote_failed' });
});

test.each([
  ['too many levels', '['.repeat(2 ** 20)],
  ['too many values', `[${'0,'.repeat(300_000)}0]`],
  ['too many bytes', `"${'a'.repeat(5 * 2 ** 20)}"`],
])('an answer with %s is a failure before it is complete', async (_, text) => {
  let isClosed = false;
  handle = (_request, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.write(text);
  };
  await expect(http.call(endpoint(), request())).rejects.toMatchObject({ code: 'remote_failed', outcome: 'failed' });
  await expect.poll(() => isClosed).toBe(true);
});

test('a remote that is silent for too long is given up, before its answer and during it', async () => {
  const arrived = new Promise<void>((resolve) => {
    handle = () => resolve();
  });
  const silent = http.call(endpoint(), request());
  await arrived;
  clock.advance(1001);
  await expect(silent).rejects.toMatchObject({ code: 'remote_timeout', outcome: 'failed' });

  handle = (_, response) => response.write('part');
  const { chunks } = await http.send(endpoint(), request());
  const iterator = chunks[Symbol.asyncIterator]();
  expect(Buffer.from((await iterator.next()).value as Uint8Array).toString()).toBe('part');
  const next = iterator.next();
  clock.advance(1001);
  await expect(next).rejects.toMatchObject({ code: 'remote_timeout' });
});

test('leaving an answer closes the connection, and so does a signal', async () => {
  const closed = (): Promise<void> =>
    new Promise((resolve) => {
      handle = (_, response) => {
        response.on('close', resolve);
        response.write('part');
      };
    });
  const left = closed();
  for await (const _ of (await http.send(endpoint(), request())).chunks) break;
  await left;

  const aborted = closed();
  const controller = new AbortController();
  const { chunks } = await http.send(endpoint(), request({ signal: controller.signal }));
  const iterator = chunks[Symbol.asyncIterator]();
  await iterator.next();
  controller.abort();
  await expect(iterator.next()).rejects.toMatchObject({ code: 'cancelled' });
  await aborted;
});

test('a connection that breaks off is a failure', async () => {
  handle = (_, response) => response.write('part', () => response.destroy());
  const { chunks } = await http.send(endpoint(), request());
  const read = async () => {
    for await (const _ of chunks);
  };
  await expect(read()).rejects.toMatchObject({ code: 'remote_failed', outcome: 'failed' });
});

test('a response that is not read waits at the remote, and is complete later', async () => {
  const size = 16 * 2 ** 20;
  handle = (_, response) => response.end(Buffer.alloc(size));
  const { chunks } = await http.send(endpoint(), request());
  let bytes = 0;
  let largest = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    largest = Math.max(largest, chunk.length);
    // Everything that the connection reads meanwhile is in the next chunk.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  }
  expect(bytes).toBe(size);
  expect(largest).toBeLessThan(512 * 1024);
});

test('a request whose caller has left is not sent', async () => {
  let requests = 0;
  handle = () => requests++;
  await expect(http.send(endpoint(), request({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(requests).toBe(0);
});

test('requests under way are canceled when the server stops', async () => {
  const stopping = createRemoteHttp({ version: '1', clock, environment: {}, tls, loopGuard });
  handle = (_, response) => response.write('part');
  const { chunks } = await stopping.send(endpoint(), request());
  const iterator = chunks[Symbol.asyncIterator]();
  await iterator.next();
  const next = iterator.next();
  await stopping.close();
  await expect(next).rejects.toMatchObject({ code: 'cancelled' });
  await expect(stopping.send(endpoint(), request())).rejects.toMatchObject({ code: 'cancelled' });
});
