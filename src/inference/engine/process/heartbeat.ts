// Detects that a runner has stopped responding. While it has work and is silent, it is pinged; it answers between two
// steps. A step of a large model on a slow machine can take minutes, so a runner that uses the processor gets more time.

import type { Clock, Timer } from '../../../base/time/clock.ts';

interface HeartbeatOptions {
  readonly clock: Clock;
  /** Milliseconds from a ping without an answer to `onHang`. */
  readonly limit: number;
  readonly hasWork: () => boolean;
  readonly ping: () => void;
  /** Processor time that the process has used, in any unit; undefined if unknown. */
  readonly cpuTime: () => number | undefined;
  readonly onHang: () => void;
}

// Silence before a ping, as a share of the limit.
const pingAfterShare = 1 / 6;
// How many times the limit a process gets that uses the processor, or may be using it.
const maxExtension = 15;

export function createHeartbeat({ clock, limit, hasWork, ping, cpuTime, onHang }: HeartbeatOptions) {
  let timer: Timer | undefined;
  let limitsPassed = 0;
  let cpuAtPing: number | undefined;

  const stop = (): void => {
    timer?.cancel();
    timer = undefined;
  };

  function waitForSilence(): void {
    limitsPassed = 0;
    timer = clock.after(limit * pingAfterShare, () => {
      timer = undefined;
      if (!hasWork()) return;
      cpuAtPing = cpuTime();
      ping();
      waitForAnswer();
    });
  }

  function waitForAnswer(): void {
    timer = clock.after(limit, () => {
      timer = undefined;
      limitsPassed++;
      if (!hasWork()) return;
      const cpu = cpuTime();
      const mayBeComputing = cpu === undefined || cpu !== cpuAtPing;
      cpuAtPing = cpu;
      if (mayBeComputing && limitsPassed < maxExtension) waitForAnswer();
      else onHang();
    });
  }

  return {
    /** The runner has work. Called at the start of every request. */
    start(): void {
      if (timer === undefined) waitForSilence();
    },
    /** The runner was heard. */
    touch(): void {
      if (timer === undefined) return;
      stop();
      if (hasWork()) waitForSilence();
    },
    stop,
  };
}
