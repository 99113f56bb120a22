// Runs in every worker of the parallel tests: the worker and the processes that it starts use one processor. The threads
// of a model wait for each other, so models that share processors would be many times slower than models that do not.

import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

const pool = Number(process.env['VITEST_POOL_ID']);
if (process.platform === 'linux' && pool >= 1) {
  const processor = (pool - 1) % cpus().length;
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(processor), String(process.pid)]);
  } catch {
    // The tests are slower without it: no such program, or a machine that leaves this process other processors.
  }
}
