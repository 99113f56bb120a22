// Memory that the threads of choice-pool.ts share: jobs, and how many were offered, taken and finished. The counts only
// grow, and wrap around; the place of a job is its number modulo the number of places. So a thread that wakes up late sees
// either no job or a complete one.

import type { SamplerPointer } from '../../../llama/bindings/pointers.ts';

/** The most jobs at a time. A power of two. */
export const maxJobs = 64;
/** The choice if no token is possible. */
export const noToken = -1;

export interface ChoiceBoard {
  readonly buffer: SharedArrayBuffer;
  /** Numbers of jobs: those that were offered, taken and finished. Then `asleep`. */
  readonly counts: Int32Array;
  /** Addresses of logits. */
  readonly logits: BigUint64Array;
  readonly chains: BigUint64Array;
  /** How many of the likeliest tokens decide. */
  readonly limits: Int32Array;
  readonly chosen: Int32Array;
}

export const offered = 0;
const taken = 1;
export const finished = 2;
/** 1 while the caller sleeps until all jobs are finished. */
export const asleep = 3;

const countBytes = 16;

export function openBoard(buffer = new SharedArrayBuffer(countBytes + maxJobs * (8 + 8 + 4 + 4))): ChoiceBoard {
  const addresses = (index: number) => new BigUint64Array(buffer, countBytes + index * 8 * maxJobs, maxJobs);
  const numbers = (index: number) => new Int32Array(buffer, countBytes + (16 + index * 4) * maxJobs, maxJobs);
  return {
    buffer,
    counts: new Int32Array(buffer, 0, countBytes / 4),
    logits: addresses(0),
    chains: addresses(1),
    limits: numbers(0),
    chosen: numbers(1),
  };
}

export const placeOf = (job: number): number => job & (maxJobs - 1);

/** Chooses a token with a chain of samplers, from the logits at an address. */
export type Choose = (logits: bigint, k: number, chain: SamplerPointer) => number | undefined;

/** Does jobs until none is left. */
export function doJobs({ counts, logits, limits, chains, chosen }: ChoiceBoard, choose: Choose): void {
  for (;;) {
    const job = Atomics.load(counts, taken);
    if (job === Atomics.load(counts, offered)) return;
    if (Atomics.compareExchange(counts, taken, job, (job + 1) | 0) !== job) continue;
    const place = placeOf(job);
    const chain = chains[place] as SamplerPointer;
    chosen[place] = choose(logits[place] as bigint, limits[place] as number, chain) ?? noToken;
    Atomics.add(counts, finished, 1);
    if (Atomics.load(counts, asleep) === 1) Atomics.notify(counts, finished);
  }
}

// A thread that wakes many others does nothing else meanwhile: in a virtual machine, each takes tens of microseconds.
const wokenByEach = 2;

/** Wakes some threads if there are jobs for them. They wake others. */
export function wakeThreads({ counts }: ChoiceBoard): void {
  const left = (Atomics.load(counts, offered) - Atomics.load(counts, taken)) | 0;
  // The caller does one of them.
  if (left > 1) Atomics.notify(counts, offered, Math.min(wokenByEach, left - 1));
}
