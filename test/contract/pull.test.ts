// POST /api/pull: each test name states a rule of the API.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { type Body, post } from '../support/client.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../support/registry/docker-registry.ts';
import { uploadModel } from '../support/registry/registry-content.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let registry: DockerRegistry | undefined;
beforeAll(async () => {
  server = await startServer();
  if (hasDockerRegistry) registry = await startDockerRegistry();
});
afterAll(async () => {
  await server.stop();
  await registry?.stop();
});
const pull = (body: Body) => post<ProgressResponseBody>(server.url, '/api/pull', body);

test.each([
  ['no model', {}, 'model is required'],
  ['an invalid name', { model: 'a//b' }, 'invalid model name'],
  ['a name with a digest', { model: 'a@sha256:0' }, 'invalid model name'],
  ['http without `insecure`', { model: 'http://127.0.0.1:1/a/b' }, 'insecure protocol http'],
])('400 for %s', async (_, body, message) => {
  const { status, text, type } = await pull(body);
  const error = { error: message, code: 'bad_request' };
  expect([status, JSON.parse(text), type]).toEqual([400, error, 'application/json; charset=utf-8']);
});

test('400 for a field of the wrong type', async () => {
  expect((await pull({ model: 'a', insecure: 'yes' })).status).toBe(400);
  expect((await pull({ model: 7 })).status).toBe(400);
});

test('an unreachable registry: an error in the last line of a stream, or a status', async () => {
  const model = '127.0.0.1:1/a/b';
  const error = { error: 'pull model manifest: 127.0.0.1:1: connection refused', code: 'registry_failed' };
  expect((await pull({ model, insecure: true })).objects).toEqual([{ status: 'pulling manifest' }, error]);
  const single = await pull({ model, insecure: true, stream: false });
  expect([single.status, single.objects]).toEqual([502, [error]]);
});

describe.skipIf(!hasDockerRegistry)('from a registry', () => {
  const layers = [randomBytes(3_000_000), Buffer.from('a template')];
  const name = () => `${registry?.host}/team/model`;
  beforeAll(async () => void (await uploadModel(registry?.url as string, 'team/model', layers)));

  test('reports the documented statuses in order, with digest, total and completed for each layer', async () => {
    const { objects, type, status } = await pull({ model: name(), insecure: true });
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    const statuses = objects.map((object) => object.status);
    expect(statuses[0]).toBe('pulling manifest');
    expect(statuses.slice(-4)).toEqual([
      'verifying sha256 digest',
      'writing manifest',
      'removing any unused layers',
      'success',
    ]);
    const downloads = objects.slice(1, -4);
    for (const { status: text, digest, total, completed = 0 } of downloads) {
      expect(text).toBe(`downloading ${digest}`);
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(completed).toBeLessThanOrEqual(total as number);
    }
    // All layers in order, the config last.
    const ends = [...new Map(downloads.map((object) => [object.digest, object])).values()];
    expect(ends.map(({ total, completed }) => [total, completed])).toEqual([
      [3_000_000, 3_000_000],
      [10, 10],
      [2, 2],
    ]);
  });

  test('existing layers are reported as complete', async () => {
    const { objects } = await pull({ model: name(), insecure: true });
    expect(objects.filter(({ digest }) => digest).map(({ total, completed }) => completed === total)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('with stream false: a single {status: success}', async () => {
    const { objects, type, status } = await pull({ model: name(), insecure: true, stream: false });
    expect([status, objects]).toEqual([200, [{ status: 'success' }]]);
    expect(type).toMatch(/^application\/json/);
  });

  test('`name` is an alias of `model`, case-insensitive', async () => {
    const { objects } = await pull({ NAME: name(), insecure: true, stream: false });
    expect(objects).toEqual([{ status: 'success' }]);
  });

  test('the model is listed under the requested name', async () => {
    const { models } = (await (await fetch(`${server.url}/api/tags`)).json()) as { models: { name: string }[] };
    expect(models.map((model) => model.name)).toContain(`${name()}:latest`);
  });

  test('a model that the registry does not have: "file does not exist"', async () => {
    const error = { error: 'pull model manifest: file does not exist', code: 'model_not_found' };
    const model = `${registry?.host}/team/nobody`;
    expect((await pull({ model, insecure: true })).objects).toEqual([{ status: 'pulling manifest' }, error]);
    const single = await pull({ model, insecure: true, stream: false });
    expect([single.status, single.objects]).toEqual([404, [error]]);
  });

  test('without `insecure`, a registry without TLS has a different error from an unreachable one', async () => {
    const { objects } = await pull({ model: name() });
    expect(objects.at(-1)?.error).toMatch(/no TLS on this port \(for a registry without TLS, use --insecure/);
  });
});
