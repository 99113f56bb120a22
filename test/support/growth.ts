// Measures how the time of some work grows with the size of its input, without asserting a time.

import { existsSync, readFileSync } from 'node:fs';

export interface Growth<Input> {
  readonly make: (size: number) => Input;
  readonly work: (input: Input) => unknown;
  readonly size: number;
}

const factor = 16;
const repetitions = 3;

/** Linear work grows 16 times and quadratic work 256 times. Caches and garbage collection can add a few times. */
export const maxLinearGrowth = 80;

/** The time for 16 times the size, divided by the time for the size. The shortest of several runs counts. */
export function growthOf<Input>({ make, work, size }: Growth<Input>): number {
  const small = make(size);
  const large = make(factor * size);
  work(small);
  const times = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let count = 0; count < repetitions; count++) {
    times.small = Math.min(
      times.small,
      timeOf(() => work(small)),
    );
    times.large = Math.min(
      times.large,
      timeOf(() => work(large)),
    );
  }
  return times.large / times.small;
}

// The kernel may count processor time in steps of a few milliseconds.
const leastTimeMs = 20;

/** Milliseconds of processor time. Short work is repeated until it can be measured. */
function timeOf(work: () => unknown): number {
  const start = threadTimeMs();
  let times = 0;
  let time = 0;
  while (time < leastTimeMs) {
    work();
    times++;
    time = threadTimeMs() - start;
  }
  return time / times;
}

// Linux has this file unless the kernel was built without it.
const schedulerStatistics = '/proc/thread-self/schedstat';
const hasThreadTime = existsSync(schedulerStatistics);

/** The processor time of this thread: test files run in threads of one process, so the time of the process is not theirs. */
function threadTimeMs(): number {
  if (hasThreadTime) return Number(readFileSync(schedulerStatistics, 'latin1').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
