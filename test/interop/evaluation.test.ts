// Evaluations by other people's programs: log likelihoods and classes of transformers, tool calls by the Berkeley suite.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { pythonProgram, runProgram } from './run-program.ts';

let server: TestServer;
let home: string;
beforeAll(async () => {
  server = await startServer();
  home = mkdtempSync(join(tmpdir(), 'hearth-evaluation-'));
});
afterAll(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

test.each(['transformers', 'bfcl'])('%s', async (name) => {
  const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short', '-rP', `test_${name}.py`];
  const { code, stdout, stderr } = await runProgram(pythonProgram('evaluation', 'python'), words, {
    cwd: repository('test/interop/python'),
    environment: {
      ...{ HOME: home, HEARTH_URL: server.url, PYTHONDONTWRITEBYTECODE: '1', HF_HUB_OFFLINE: '1' },
      // What the tests of clients share.
      ...{ REGISTRY: '', IMAGE: '', TOOL: '{}', MODELS: repository('models') },
    },
  });
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).not.toMatch(/skipped|deselected/);
  console.info(
    stdout
      .split('\n')
      .filter((line) => /difference|valid|: \d+ of/.test(line))
      .join('\n'),
  );
});
