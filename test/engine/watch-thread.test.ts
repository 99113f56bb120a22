// The built thread that watches passes, on a machine with too few processors.

import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { startWatchThread } from '../../src/inference/runner/threads/pass-guard.ts';
import { beginWatch, openWatchBoard } from '../../src/inference/runner/threads/watch-board.ts';
import { repository } from '../support/repository.ts';

const loops: ChildProcess[] = [];
let watchdog: Worker | undefined;
afterEach(async () => {
  for (const loop of loops) loop.kill('SIGKILL');
  await watchdog?.terminate();
});

// Only Linux says how long threads wait.
test.runIf(process.platform === 'linux')('a late pass is stopped while other programs have the processors', () => {
  for (let count = 0; count < 2 * availableParallelism(); count++)
    loops.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const board = openWatchBoard();
  watchdog = startWatchThread(repository('dist/inference/runner/threads/watch-thread.js'), board.buffer);
  const giveUp = performance.now() + 60_000;
  beginWatch(board, 0, 60);
  // Like a thread at a barrier. It returns when the flag is set.
  while (Atomics.load(board.flag, 0) === 0 && performance.now() < giveUp);
  expect(board.flag[0]).toBe(1);
});
