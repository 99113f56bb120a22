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
beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'hearth-interop-'));
  // The model of python/schemathesis_hooks.py. It can think, and its answers take little time.
  const short = { model: 'short', from: 'ember-thinks', parameters: { num_predict: 4 }, stream: false };
  expect(await post(server.url, '/api/create', short)).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Examples and values at the limits do not depend on the seed.
test.each([
  { seed: 1, phases: 'examples,coverage,fuzzing' },
  { seed: 2, phases: 'fuzzing' },
])('seed $seed, $phases: no server error, and no operation refuses most requests', async ({ seed, phases }) => {
  const { code, stdout, stderr } = await runProgram(
    pythonProgram('schemathesis', 'schemathesis'),
    [
      ...['--config-file', repository('test/interop/python/schemathesis.toml')],
      'run',
      `${server.url}/openapi.json`,
      ...['--checks', 'no_unexpected_server_error'],
      ...['--phases', phases],
      ...['--max-examples', String(examples)],
      ...['--seed', String(seed)],
      ...['--generation-database', 'none'],
      ...['--request-timeout', '60'],
      '--no-color',
    ],
    {
      cwd: folder,
      environment: { HOME: folder, SCHEMATHESIS_HOOKS: repository('test/interop/python/schemathesis_hooks.py') },
    },
  );
  console.info(stdout);
  expect(code, stdout + stderr).toBe(0);
});
