// Detects that a runner with work was stopped by a signal. A stopped process is certain not to answer, so this needs
// seconds, where a heartbeat needs the time that the longest step of a busy machine may take.

import type { Clock, Timer } from '../../../base/time/clock.ts';

interface StopWatchOptions {
  readonly clock: Clock;
  readonly hasWork: () => boolean;
  readonly isStopped: () => boolean;
  readonly onStop: () => void;
}

const intervalMs = 1000;
// A process that is stopped and continued, as by a debugger or by job control of a terminal, is left alone.
const looksUntilStopped = 3;

export function createStopWatch({ clock, hasWork, isStopped, onStop }: StopWatchOptions) {
  let timer: Timer | undefined;
  let looks = 0;

  function look(): void {
    timer = undefined;
    looks = isStopped() ? looks + 1 : 0;
    if (looks >= looksUntilStopped) onStop();
    else start();
  }

  function start(): void {
    if (timer === undefined && hasWork()) timer = clock.after(intervalMs, look);
  }

  return {
    /** The runner has work. Called at the start of every request. */
    start,
    stop(): void {
      timer?.cancel();
      timer = undefined;
    },
  };
}
