// GET /, /api/version, /api/tags, /api/devices, and unknown paths.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DevicesResponseBody } from '../../src/server/dialects/hearth/status/devices-schema.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('GET and HEAD / return "Ollama is running", which clients check', async () => {
  const response = await fetch(server.url);
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'Ollama is running',
  ]);
  expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
});

test('GET and HEAD /api/version return a numeric version', async () => {
  const response = await fetch(`${server.url}/api/version`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toEqual({
    // Editors and agents require at least this one.
    version: '0.34.4',
    hearth: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  });
  expect((await fetch(`${server.url}/api/version`, { method: 'HEAD' })).status).toBe(200);
});

test('GET /api/devices: the CPU with its memory, and the backends', async () => {
  const body = (await (await fetch(`${server.url}/api/devices`)).json()) as DevicesResponseBody;
  expect(body.engine).toMatch(/^@node-llama-cpp\/.+@\d/);
  expect(body.devices[0]).toMatchObject({ kind: 'cpu', backend: 'cpu', cores: expect.any(Number) });
  expect(body.devices[0]?.total).toBeGreaterThan(body.devices[0]?.free ?? 0);
  expect(body.backends.at(-1)).toEqual({ name: 'cpu' });
});

test('POST /api/me answers without an account', async () => {
  const response = await fetch(`${server.url}/api/me`, { method: 'POST' });
  expect([response.status, await response.json()]).toEqual([200, { name: '', email: '' }]);
});

test('GET /api/tags: one object with `models`, an array of Model', async () => {
  const { models } = (await (await fetch(`${server.url}/api/tags`)).json()) as { models: object[] };
  expect(models).toHaveLength(3);
  expect(models).toContainEqual({
    name: 'ember:latest',
    model: 'ember:latest',
    modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/),
    size: expect.any(Number),
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    details: {
      parent_model: '',
      format: 'gguf',
      family: 'llama',
      families: ['llama'],
      parameter_size: '41.96M',
      quantization_level: 'Q4_K_M',
      context_length: 4096,
      embedding_length: 512,
    },
    capabilities: ['completion', 'tools', 'insert'],
  });
  expect((await fetch(`${server.url}/api/tags`, { method: 'HEAD' })).status).toBe(200);
});

test.each([
  ['GET', '/api/nosuch', 404, 'path_not_found'],
  ['GET', '/api/generate', 405, 'method_not_allowed'],
  ['POST', '/api/tags', 405, 'method_not_allowed'],
  ['DELETE', '/', 405, 'method_not_allowed'],
])('%s %s is %d, in the format of all errors', async (method, path, status, code) => {
  const response = await fetch(server.url + path, { method });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: expect.any(String), code });
});

test.each(['/health', '/livez', '/readyz'])('GET and HEAD %s report that the server is running', async (path) => {
  const response = await fetch(server.url + path);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  expect((await fetch(server.url + path, { method: 'HEAD' })).status).toBe(200);
  expect(server.log() + server.stdout()).not.toContain(path);
});

test.each(['//api/version', '/api//version', '/api/version/', '//api//version/?x=1'])(
  '%s reaches the route: clients join base addresses and paths carelessly',
  async (path) => {
    expect((await fetch(server.url + path)).status).toBe(200);
  },
);

test.each([
  ['x-forwarded-for', '203.0.113.7'],
  ['forwarded', 'for=203.0.113.7'],
  ['via', '1.1 proxy'],
])('a request with %s comes through a proxy and cannot name files of the server', async (name, value) => {
  const body = JSON.stringify({ model: 'x', path: '/no/such/file', stream: false });
  const create = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${server.url}/api/create`, { method: 'POST', body, headers })).status;
  expect(await create({ [name]: value })).toBe(403);
  expect(await create({})).toBe(400);
});
