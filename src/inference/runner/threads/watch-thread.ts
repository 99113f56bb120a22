// The watchdog of threads/pass-guard.ts: ends a pass that is stuck.

import { workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/time/clock.ts';
import { openContentionMeter, ownThreads } from './contention-meter.ts';
import { firstLook, lookAtPass } from './look-at-pass.ts';
import { openWatchBoard, sleepFor, sleepUntilPass, stopPass, watchedPass } from './watch-board.ts';

const board = openWatchBoard(workerData as SharedArrayBuffer);
const meter = openContentionMeter({ onGpu: false });
const known = new Set([String(process.pid)]);

/** What all threads of this process waited: those that do not compute sleep, and do not wait for a processor. */
function waited(): number {
  const started = ownThreads().filter((thread) => !known.has(thread));
  meter?.watch(started);
  for (const thread of started) known.add(thread);
  return meter?.waited(0) ?? 0;
}

for (let look = firstLook; ; ) {
  look = lookAtPass(look, { ...watchedPass(board), now: systemClock.monotonic(), waited });
  if (look.verdict === 'stuck') stopPass(board, look.pass);
  if (look.verdict === 'idle') sleepUntilPass(board);
  else sleepFor(board, look.next);
}
