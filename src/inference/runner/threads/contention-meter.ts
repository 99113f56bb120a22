// Measures how long the threads of passes wait for processors, and how long processors are free. On Linux the kernel
// counts both. Elsewhere the wait is the time of the threads that is missing in the processor time of this process,
// because a thread that has a processor computes or spins.

import { openSync, readdirSync, readSync } from 'node:fs';
import { cpus } from 'node:os';
import { nanosecondsPerMicrosecond, nanosecondsPerMillisecond } from '../../../base/time/duration.ts';

export interface ContentionMeter {
  /** Whether the kernel counts how long threads wait, so that a few milliseconds can be measured. */
  readonly isExact: boolean;
  /** Nanoseconds over which two readings can be compared. */
  readonly window: number;
  /** These threads compute too. */
  watch(threads: readonly string[]): void;
  /** Nanoseconds that threads waited, since an arbitrary point. `threadTime`: the time of passes times their threads. */
  waited(threadTime: number): number;
  /** Nanoseconds that processors of the machine were free, since an arbitrary point. */
  free(): number;
}

export interface MeterSources {
  /** Opens a file of /proc and returns its reader. Throws if there is none. */
  readonly open: (path: string) => () => string;
  /** Microseconds that all threads of this process computed. */
  readonly processTime: () => number;
  /** Milliseconds that each processor of the machine was idle. */
  readonly idleTimes: () => readonly number[];
}

// About three tokens of a model with a billion parameters. Short enough to notice soon, long enough to ignore the
// milliseconds in which other threads of the server wake up.
const shortWindow = 100 * nanosecondsPerMillisecond;
// Windows counts processor time in steps of 16 milliseconds.
const longWindow = 250 * nanosecondsPerMillisecond;
// The unit of /proc/stat is the same on all machines.
const nanosecondsPerTick = 1e7;

/** The ids of the threads of this process. Empty where the system does not say. */
export function ownThreads(): string[] {
  try {
    return readdirSync('/proc/self/task');
  } catch {
    return [];
  }
}

/**
 * Undefined if nothing can be measured. A thread that waits for a GPU needs no processor, so that only the kernel knows
 * why it did not run.
 */
export function openContentionMeter(
  { onGpu }: { readonly onGpu: boolean },
  sources: MeterSources = systemSources,
): ContentionMeter | undefined {
  if (sources.idleTimes().length === 0) return undefined;
  const free = openFreeTime(sources);
  const own = openOwnSchedule(sources);
  if (own === undefined) return onGpu ? undefined : fromProcessTime(sources, free);
  const schedules = [own];
  return {
    isExact: true,
    window: shortWindow,
    watch(threads) {
      schedules.push(...threads.flatMap((thread) => openSchedule(sources, thread) ?? []));
    },
    waited: () => schedules.reduce((sum, schedule) => sum + timesIn(schedule()).waited, 0),
    free,
  };
}

function fromProcessTime({ processTime }: MeterSources, free: () => number): ContentionMeter {
  return {
    isExact: false,
    window: longWindow,
    watch() {},
    waited: (threadTime) => threadTime - processTime() * nanosecondsPerMicrosecond,
    free,
  };
}

/** What the main thread waited. Undefined if the kernel does not count. */
function openOwnSchedule(sources: MeterSources): (() => string) | undefined {
  const read = openSchedule(sources, String(process.pid));
  return read !== undefined && timesIn(read()).ran > 0 ? read : undefined;
}

/** Undefined if the thread has ended. */
function openSchedule({ open }: MeterSources, thread: string): (() => string) | undefined {
  return attempt(() => open(`/proc/self/task/${thread}/schedstat`));
}

// "<time on a processor> <time waiting for one> <turns>", in nanoseconds. All are zero in a thread that has just started,
// and always if the kernel does not count.
function timesIn(schedule: string): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = schedule.split(' ').map(Number);
  return { ran, waited };
}

function openFreeTime({ open, idleTimes }: MeterSources): () => number {
  // Node reads several files for each processor.
  const statistics = attempt(() => open('/proc/stat'));
  if (statistics !== undefined) return () => freeIn(statistics()) * nanosecondsPerTick;
  return () => idleTimes().reduce((sum, time) => sum + time, 0) * nanosecondsPerMillisecond;
}

// "cpu  <user> <nice> <system> <idle> <waiting for disks> …" is the first line: the sum of all processors.
function freeIn(statistics: string): number {
  const [, , , , idle = 0, disks = 0] = statistics.slice(0, statistics.indexOf('\n')).split(/ +/).map(Number);
  return idle + disks;
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const systemSources: MeterSources = {
  open(path) {
    // The file stays open. It is as short as one line; of longer ones, only the first line is read.
    const descriptor = openSync(path, 'r');
    const buffer = Buffer.alloc(256);
    return () => attempt(() => buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0))) ?? '';
  },
  processTime() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  idleTimes: () => cpus().map(({ times }) => times.idle),
};
