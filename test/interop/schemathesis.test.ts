// schemathesis generates requests from /openapi.json. None may be a server error, and no operation may refuse most of the
// requests that its schema allows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../support/client.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { pythonProgram, runProgram } from './run-program.ts';

const examples = 10;

let server: TestServer;
let folder: string;
let key: string;
beforeAll(async () => {
  // A registry that refuses connections: nothing is pulled from a real one.
  server = await startServer({ environment: { HEARTH_REGISTRY: 'http://127.0.0.1:1' } });
  folder = mkdtempSync(join(tmpdir(), 'hearth-interop-'));
  // The model of python/schemathesis_hooks.py. It can think, and its answers take little time.
  const short = { model: 'short', from: 'ember-thinks', parameters: { num_predict: 4 }, stream: false };
  expect(await post(server.url, '/api/create', short)).toMatchObject({ status: 200 });
  // The requests create keys. After the first one, a request without a key is refused.
  const created = await post<{ key: string }>(server.url, '/api/keys', { name: 'schemathesis', scope: 'admin' });
  key = created.objects[0]?.key ?? '';
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Examples and values at the limits do not depend on the seed. They take most of the time.
test.for([
  { paths: '^/api/', phases: 'examples,coverage', seed: 1 },
  { paths: '^/v1/messages', phases: 'examples,coverage', seed: 1 },
  { paths: '^/v1/(?!messages)', phases: 'examples,coverage', seed: 1 },
  { paths: '^/(?!api/|v1/)', phases: 'examples,coverage', seed: 1 },
  { paths: '', phases: 'fuzzing', seed: 1 },
  { paths: '', phases: 'fuzzing', seed: 2 },
])('no server error, and no operation refuses most requests: $phases $paths, seed $seed', async (row, { signal }) => {
  const { paths, phases, seed } = row;
  const { code, stdout, stderr } = await runProgram(
    pythonProgram('schemathesis', 'schemathesis'),
    [
      ...['--config-file', repository('test/interop/python/schemathesis.toml')],
      'run',
      `${server.url}/openapi.json`,
      ...['--header', `Authorization: Bearer ${key}`],
      ...['--checks', 'no_unexpected_server_error'],
      ...['--include-path-regex', paths],
      ...['--phases', phases],
      ...['--max-examples', String(examples)],
      ...['--seed', String(seed)],
      ...['--generation-database', 'none'],
      ...['--request-timeout', '60'],
      '--no-color',
    ],
    {
      cwd: folder,
      environment: {
        HOME: folder,
        HEARTH_URL: server.url,
        HEARTH_KEY: key,
        SCHEMATHESIS_HOOKS: repository('test/interop/python/schemathesis_hooks.py'),
      },
      signal,
    },
  );
  console.info(stdout);
  expect(code, stdout + stderr).toBe(0);
});
