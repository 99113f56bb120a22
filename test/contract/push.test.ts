// POST /api/push: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { type Body, post } from '../support/client.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../support/registry/docker-registry.ts';
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
const push = (body: Body) => post<ProgressResponseBody>(server.url, '/api/push', body);

test.each([
  ['no model', {}, 400, 'model is required', 'bad_request'],
  ['an invalid name', { model: 'a//b' }, 400, 'invalid model name', 'bad_request'],
  [
    'a name without a namespace',
    { model: 'ember:latest' },
    400,
    'the name of a model to push must be <namespace>/<model>:<tag>; "ember:latest" has no namespace',
    'bad_request',
  ],
  [
    'an unknown model, not streamed',
    { model: 'team/nobody', stream: false },
    404,
    "model 'team/nobody' not found",
    'model_not_found',
  ],
])('%s', async (_, body, status, error, code) => {
  const reply = await push(body);
  expect([reply.status, reply.objects]).toEqual([status, [{ error, code }]]);
});

test('an unknown model, streamed: an error object in the stream', async () => {
  const { status, objects } = await push({ model: 'team/nobody' });
  const error = { error: "model 'team/nobody' not found", code: 'model_not_found' };
  expect([status, objects]).toEqual([200, [{ status: 'retrieving manifest' }, error]]);
});

describe.skipIf(!hasDockerRegistry)('to a registry', () => {
  const name = () => `${registry?.host}/team/ember:v1`;
  beforeAll(async () => void (await post(server.url, '/api/copy', { source: 'ember', destination: name() })));

  test('reports the documented statuses in order, with digest and total for each layer', async () => {
    const { objects, type, status } = await push({ model: name(), insecure: true });
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    const statuses = objects.map((object) => object.status);
    expect(statuses[0]).toBe('retrieving manifest');
    expect(statuses.slice(-2)).toEqual(['pushing manifest', 'success']);
    const uploads = objects.slice(1, -2);
    const started = uploads.filter((object) => object.status === 'starting upload');
    expect(new Set(started.map(({ digest }) => digest)).size).toBe(started.length);
    for (const { digest, total } of started) {
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(total).toBeGreaterThan(0);
      const progress = uploads.filter((object) => object.status === `pushing ${digest?.slice('sha256:'.length, 19)}`);
      expect(progress.at(-1)).toMatchObject({ digest, total, completed: total });
    }
    const accept = 'application/vnd.docker.distribution.manifest.v2+json';
    const manifest = await fetch(`${registry?.url}/v2/team/ember/manifests/v1`, { headers: { accept } });
    expect(manifest.status).toBe(200);
  });

  test('with stream false: a single {status: success}', async () => {
    const { objects, status } = await push({ name: name(), insecure: true, stream: false });
    expect([status, objects]).toEqual([200, [{ status: 'success' }]]);
  });

  test('an unreachable registry: an error in the last line', async () => {
    await post(server.url, '/api/copy', { source: 'ember', destination: '127.0.0.1:1/team/ember' });
    const { objects } = await push({ model: '127.0.0.1:1/team/ember', insecure: true });
    expect(objects.at(-1)?.error).toMatch(/connection refused/);
  });
});
