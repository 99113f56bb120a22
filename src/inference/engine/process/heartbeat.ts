// Detects that a runner has stopped responding. While it has work and is silent, it is pinged; it answers between two
// steps. A step of a large model on a slow machine can take minutes, so a runner that uses the processor gets more time.

import { readFileSync } from 'node:fs';
import type { Clock, Timer } from '../../../base/time/clock.ts';

interface HeartbeatOptions {
  readonly clock: Clock;
  /** Milliseconds from a ping without an answer to `onHang`. */
  readonly limit: number;
  readonly hasWork: () => boolean;
  /** Absent: the process is heard without a question when it has made progress. */
  readonly ping?: () => void;
  /** Processor time that the process has used, in any unit; undefined if unknown. */
  readonly cpuTime: () => number | undefined;
  readonly onHang: () => void;
  /** How many times the limit a process gets that uses the processor, or may be using it. */
  readonly maxExtension?: number;
}

// Silence before a ping, as a share of the limit.
const pingAfterShare = 1 / 6;
const defaultExtension = 15;

export function createHeartbeat(options: HeartbeatOptions) {
  const { clock, limit, hasWork, ping, cpuTime, onHang, maxExtension = defaultExtension } = options;
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
      ping?.();
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

// Detects that a process has shown no activity for too long.

/** 0, negative or infinite `milliseconds` disable the watch. */
export function createStallWatch(clock: Clock, milliseconds: number, onStall: () => void) {
  let timer: Timer | undefined;
  const enabled = milliseconds > 0 && Number.isFinite(milliseconds);
  const start = (): void => {
    timer?.cancel();
    timer = enabled ? clock.after(milliseconds, onStall) : undefined;
  };
  return {
    start,
    /** Reports activity. Ignored before `start` and after `stop`. */
    touch: (): void => timer && start(),
    stop(): void {
      timer?.cancel();
      timer = undefined;
    },
  };
}

// Detects that a runner with work was stopped by a signal. A stopped process is certain not to answer, so this needs
// seconds, where a heartbeat needs the time that the longest step of a busy machine may take.

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

// Fields of /proc/PID/stat after the name in parentheses, which can contain anything.
const stateField = 0;
const userTimeField = 11;
const systemTimeField = 12;

/** Processor time in clock ticks; undefined if unknown. */
export function cpuTimeOf(pid: number): number | undefined {
  const fields = readStat(pid);
  const ticks = Number(fields[userTimeField]) + Number(fields[systemTimeField]);
  return Number.isFinite(ticks) ? ticks : undefined;
}

/** Whether a signal has stopped it, as SIGSTOP does. A process that waits or computes is not stopped. */
export function isStopped(pid: number): boolean {
  return readStat(pid)[stateField] === 'T';
}

function readStat(pid: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
