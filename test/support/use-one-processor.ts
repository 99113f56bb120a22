// Runs in every worker of the parallel tests: the worker and the processes that it starts use one processor, which no
// other worker has. The threads of a model wait for each other, so models that share processors would be many times
// slower than models that do not.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

// Of this run of Vitest, which is the parent of its workers.
const folder = join(tmpdir(), `hearth-test-processors-${process.ppid}`);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether this process has the processor now. A worker that has ended gives up its processor, one with more files keeps it. */
function claim(processor: number): boolean {
  const path = join(folder, String(processor));
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = Number(readFileSync(path, 'utf8'));
    if (owner === process.pid) return true;
    if (isAlive(owner)) return false;
    rmSync(path, { force: true });
    return claim(processor);
  }
}

if (process.platform === 'linux') {
  mkdirSync(folder, { recursive: true });
  const processor = cpus().findIndex((_, index) => claim(index));
  try {
    if (processor !== -1)
      execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(processor), String(process.pid)]);
  } catch {
    // The tests are slower without it: no such program, or this process may not use the processor.
  }
}
