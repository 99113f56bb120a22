// npm run test:llama-server: remotes with a real llama-server: HEARTH_LLAMA_SERVER, or the one in PATH. Without one, it says
// so. Arguments go to vitest.

import { spawnSync } from 'node:child_process';
import { run, setUp } from './setup.mjs';

const program = process.env.HEARTH_LLAMA_SERVER || 'llama-server';
const { status, error } = spawnSync(program, ['--version']);
if (status === 0) {
  setUp();
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.remote-engines.config.ts'];
  run(process.execPath, [...vitest, 'test/remote-engines/llama-server', ...process.argv.slice(2)]);
} else {
  const reason = error?.message ?? `exit code ${status}`;
  console.error(
    `The tests with llama-server are skipped: ${program} does not run (${reason}). Set HEARTH_LLAMA_SERVER.`,
  );
  if (process.env.CI === 'true') {
    console.error('In CI, skipped tests are failures.');
    process.exit(1);
  }
}
