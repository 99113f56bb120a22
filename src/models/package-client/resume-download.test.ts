import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { downloadDirectly } from './resume-download.ts';

const content = randomBytes(300_000);
let folder: string;
let path: string;
let server: Server;
let ranges: (string | undefined)[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-resume-'));
  path = join(folder, 'file.part');
  ranges = [];
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const startOf = ({ headers }: IncomingMessage): number => Number(/\d+/.exec(headers.range ?? '0')?.[0]);

/** Serves ranges; each connection ends after this many bytes, when they have arrived: a client may drop what it has not read. */
const serve =
  (breakAfter = content.length) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const start = startOf(request);
    const rest = content.subarray(start);
    const range = `bytes ${start}-${content.length - 1}/${content.length}`;
    response.writeHead(start === 0 ? 200 : 206, { 'content-length': rest.length, 'content-range': range });
    if (breakAfter >= rest.length) response.end(rest);
    else {
      response.write(rest.subarray(0, breakAfter));
      const hasArrivedSoFar = (): boolean => existsSync(path) && statSync(path).size >= start + breakAfter;
      void vi
        .waitFor(() => expect(hasArrivedSoFar()).toBe(true), { timeout: 30_000 })
        .finally(() => response.destroy());
    }
  };

/** Whether the file has exactly this many bytes of the content. Printing a difference would take seconds. */
const hasArrived = (bytes: number): boolean => readFileSync(path).equals(content.subarray(0, bytes));
const never = new AbortController().signal;

async function download(signal: AbortSignal = never): Promise<{ done: boolean; progress: number[][] }> {
  const progress: number[][] = [];
  const { port } = server.address() as AddressInfo;
  const done = await downloadDirectly({
    url: `http://127.0.0.1:${port}/a.tgz`,
    path,
    package: 'npm/a',
    clock: systemClock,
    signal,
    onProgress: (...numbers) => progress.push(numbers),
  });
  return { done, progress };
}

test('a file is downloaded, with its progress', async () => {
  answer = serve();
  const { done, progress } = await download();
  expect(done).toBe(true);
  expect(hasArrived(content.length)).toBe(true);
  expect(progress.at(-1)).toEqual([content.length, content.length]);
});

test('connections that break are continued', async () => {
  answer = serve(130_000);
  expect((await download()).done).toBe(true);
  expect(hasArrived(content.length)).toBe(true);
  expect(ranges).toEqual([undefined, 'bytes=130000-', 'bytes=260000-']);
});

test('a part of an earlier process is continued', async () => {
  writeFileSync(path, content.subarray(0, 200_000));
  answer = serve();
  expect((await download()).done).toBe(true);
  expect(hasArrived(content.length)).toBe(true);
  expect(ranges).toEqual(['bytes=200000-']);
});

test('a part that is complete is not downloaded again', async () => {
  writeFileSync(path, content);
  answer = (_, response) => response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  expect((await download()).done).toBe(true);
  expect(hasArrived(content.length)).toBe(true);
});

test('a server without ranges sends the file from its start', async () => {
  writeFileSync(path, 'something else');
  answer = (_, response) => response.writeHead(200, { 'content-length': content.length }).end(content);
  expect((await download()).done).toBe(true);
  expect(hasArrived(content.length)).toBe(true);
});

test.each([
  ['refuses', (response: ServerResponse) => response.writeHead(401).end('no')],
  ['does not state the length', (response: ServerResponse) => response.writeHead(200).end('some')],
  ['closes the connection', (response: ServerResponse) => response.destroy()],
])('a server that %s is left to npm', async (_, act) => {
  answer = (_request, response) => void act(response);
  expect((await download()).done).toBe(false);
  expect(existsSync(path)).toBe(false);
});

test('no more is written than the response has announced', async () => {
  writeFileSync(path, content.subarray(0, 200_000));
  answer = (_, response) => {
    response.writeHead(206, { 'content-range': `bytes 200000-200099/200100` });
    for (let sent = 0; sent < 100; sent++) response.write(content.subarray(0, 10_000));
    response.end();
  };
  expect((await download()).done).toBe(false);
  expect(readFileSync(path).length).toBeLessThanOrEqual(200_100);
});

test('a server that stops to answer keeps what has arrived, and the error says how to continue', async () => {
  const first = serve(130_000);
  answer = (request, response) => (startOf(request) === 0 ? first(request, response) : response.destroy());
  await expect(download()).rejects.toMatchObject({
    code: 'registry_failed',
    message: 'npm/a: the download was interrupted. Try again: it continues where it ended',
  });
  expect(hasArrived(130_000)).toBe(true);
  expect(ranges).toHaveLength(4);
});

test('a canceled download keeps what has arrived', async () => {
  const canceling = new AbortController();
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, 100_000));
  };
  const result = download(canceling.signal);
  await expect.poll(() => existsSync(path) && readFileSync(path).length).toBe(100_000);
  canceling.abort();
  await expect(result).rejects.toMatchObject({ code: 'cancelled' });
  expect(hasArrived(100_000)).toBe(true);
});
