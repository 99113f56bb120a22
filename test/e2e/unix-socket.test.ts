// A server on a Unix socket, the commands that use it, and a client that speaks HTTP over it.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHome, type Home, serversOf, stopServersOf } from '../support/home.ts';
import { isAlive } from '../support/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-unix-'));
const socket = join(folder, 'h.sock');
let home: Home;
let client: Client;

beforeAll(() => {
  home = createHome(`unix:${socket}`);
  client = new Client('http://localhost', { socketPath: socket });
});
afterAll(async () => {
  await client.close();
  await stopServersOf(home);
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function send(path: string, { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {}) {
  const method = body === undefined ? 'GET' : 'POST';
  const payload = body === undefined ? null : JSON.stringify(body);
  const response = await client.request({ path, method, headers, body: payload });
  return { status: response.statusCode, body: (await response.body.json()) as Record<string, unknown> };
}

test('a command starts a server at the socket, which only this user can open', async () => {
  const { code, stdout, stderr } = await home.pipe(['list']);
  expect({ code, stderr, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ember:latest /m),
    stderr: expect.stringContaining(`No server is running at unix:${socket}; starting one`),
  });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
});

test('programs and commands use it', async () => {
  const body = { model: 'ember', messages: [{ role: 'user', content: 'What is 2 + 2?' }], max_tokens: 8 };
  const answer = await send('/v1/chat/completions', { body });
  expect(answer).toMatchObject({ status: 200, body: { choices: [{ message: { content: expect.any(String) } }] } });
  expect(await home.pipe(['ps'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ember:latest /m) });
});

test('its callers are on this machine, unless a proxy sends for others; the Host header is checked', async () => {
  expect(await send('/api/key')).toMatchObject({ status: 200 });
  expect(await send('/api/key', { headers: { 'x-forwarded-for': '192.0.2.1' } })).toMatchObject({ status: 403 });
  expect(await send('/api/key', { headers: { origin: 'http://evil.example' } })).toMatchObject({ status: 403 });
  expect(await send('/api/tags', { headers: { host: 'evil.example' } })).toMatchObject({ status: 403 });
});

test('what needs another address says so', async () => {
  expect(await home.pipe(['launch', 'codex', '--config'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`programs cannot use the Unix socket unix:${socket}: start a server at an address`),
  });
  const second = createHome(`unix:${socket}`, { HEARTH_TLS_CERT: '/x', HEARTH_TLS_KEY: '/y' });
  const { stderr } = await second.pipe(['serve']);
  second.remove();
  expect(stderr).toMatch(/^Error: a Unix socket has no TLS: unset HEARTH_TLS_CERT/);
});

test('a second server does not start, and the socket of a killed one is replaced', async () => {
  const [first = 0] = serversOf(home);
  const second = createHome(`unix:${socket}`);
  expect(await second.pipe(['serve'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Error: ${socket} is in use by another server. Stop it, or choose another path`),
  });
  second.remove();
  process.kill(first, 'SIGKILL');
  await expect.poll(() => isAlive(first)).toBe(false);
  expect(await home.pipe(['ps'])).toMatchObject({ code: 0 });
  expect(serversOf(home)).not.toContain(first);
});

test('the server that ends removes its socket, and a file in its place stays', async () => {
  expect(await home.pipe(['stop', '--server'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Stopped the server at unix:/),
  });
  expect(() => statSync(socket)).toThrow('ENOENT');
  writeFileSync(socket, 'mine');
  expect(await home.pipe(['list'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`failed to start the server: ${socket} is not a socket and stays as it is.`),
  });
  expect(readFileSync(socket, 'utf8')).toBe('mine');
});
