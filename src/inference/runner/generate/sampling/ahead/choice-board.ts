// Memory that the threads of choice-pool.ts share: jobs, and how many were offered, taken and finished. These counts only
// grow, and wrap around; the place of a job is its number modulo the number of places. So a thread that wakes up late sees
// either no job or a complete one.

import type { Clock } from '../../../../../base/time/clock.ts';
import { nanosecondsPerMicrosecond } from '../../../../../base/time/duration.ts';
import type { SamplerPointer } from '../../../llama/bindings/pointers.ts';

/** The most jobs at a time. A power of two. */
export const maxJobs = 256;
/** The choice if no token is possible. */
export const noToken = -1;
/** The mask of a job that is not constrained. */
export const noMask = 0n;

/**
 * What the grammar of a request says about the chosen token. If it allows the token, it has accepted it. `late`: it took
 * too long.
 */
export type Verdict = 'untested' | 'accepted' | 'rejected' | 'late';
export const verdicts: readonly Verdict[] = ['untested', 'accepted', 'rejected', 'late'];

interface ChoiceBoard {
  readonly buffer: SharedArrayBuffer;
  /** Numbers of jobs: those that were offered, taken and finished. Then the other numbers below. */
  readonly counts: Int32Array;
  /** Addresses of logits. */
  readonly logits: BigUint64Array;
  readonly chains: BigUint64Array;
  /** The grammars that apply to the choices, or `noMask`. */
  readonly masks: BigUint64Array;
  /** How many of the likeliest tokens decide. */
  readonly limits: Int32Array;
  readonly chosen: Int32Array;
  /** Indices of `verdicts`. */
  readonly judged: Int32Array;
}

export const offered = 0;
const taken = 1;
export const finished = 2;
/** 1 while the caller sleeps until all jobs are finished. */
export const asleep = 3;
/** Microseconds from the end of the last jobs to the next ones; 0 if that is not known. */
export const interval = 4;
/** How many threads had jobs. */
export const used = 5;
/** Threads that look for jobs at this moment. They need not be woken. */
const ready = 6;

const countBytes = 32;

export function openBoard(buffer = new SharedArrayBuffer(countBytes + maxJobs * (3 * 8 + 3 * 4))): ChoiceBoard {
  const addresses = (index: number) => new BigUint64Array(buffer, countBytes + index * 8 * maxJobs, maxJobs);
  const numbers = (index: number) => new Int32Array(buffer, countBytes + (3 * 8 + index * 4) * maxJobs, maxJobs);
  return {
    buffer,
    counts: new Int32Array(buffer, 0, countBytes / 4),
    logits: addresses(0),
    chains: addresses(1),
    masks: addresses(2),
    limits: numbers(0),
    chosen: numbers(1),
    judged: numbers(2),
  };
}

export const placeOf = (job: number): number => job & (maxJobs - 1);

export interface ChoiceMaker {
  /** Chooses a token with a chain of samplers, from the logits at an address. */
  choose(logits: bigint, k: number, chain: SamplerPointer): number | undefined;
  /** Whether a grammar allows a token. If so, the grammar accepts it. */
  test(mask: SamplerPointer, token: number): Verdict;
}

/** Does jobs until none is left. */
export function doJobs(board: ChoiceBoard, maker: ChoiceMaker): void {
  const { counts, logits, limits, chains, masks, chosen, judged } = board;
  for (;;) {
    const job = Atomics.load(counts, taken);
    if (job === Atomics.load(counts, offered)) return;
    if (Atomics.compareExchange(counts, taken, job, (job + 1) | 0) !== job) continue;
    const place = placeOf(job);
    const chain = chains[place] as SamplerPointer;
    const token = maker.choose(logits[place] as bigint, limits[place] as number, chain);
    const mask = masks[place] as SamplerPointer;
    const verdict = token === undefined || mask === noMask ? 'untested' : maker.test(mask, token);
    chosen[place] = token ?? noToken;
    judged[place] = verdicts.indexOf(verdict);
    Atomics.add(counts, finished, 1);
    if (Atomics.load(counts, asleep) === 1) Atomics.notify(counts, finished);
  }
}

// A thread that wakes many others does nothing else meanwhile: in a virtual machine, each takes tens of microseconds.
const wokenByEach = 2;

/** Wakes some threads if there are jobs for them. They wake others. */
export function wakeThreads({ counts }: ChoiceBoard): void {
  const left = (Atomics.load(counts, offered) - Atomics.load(counts, taken)) | 0;
  // The caller does one of them, and the threads that look take theirs.
  const sleeping = left - 1 - Atomics.load(counts, ready);
  if (sleeping > 0) Atomics.notify(counts, offered, Math.min(wokenByEach, sleeping));
}

// A pass takes about as long as the one before. A thread wakes up earlier by this share of the time, and by no less than what
// a timer may be late. It gives up after three times of it: then the pass takes longer, or there is none.
const earlyShare = 1 / 40;
const minEarly = 200;
const microsecondsPerMillisecond = 1000;
const looksPerTime = 50;

interface Waiting {
  /** The number of the thread, from 0. */
  readonly thread: number;
  readonly clock: Clock;
}

/**
 * Waits for jobs after those before `known`. A thread that is likely to get one wakes up a little before and looks for it:
 * waking it takes as long as the job.
 */
export function awaitJobs({ counts }: ChoiceBoard, known: number, { thread, clock }: Waiting): void {
  const expected = Atomics.load(counts, interval);
  const early = Math.max(minEarly, expected * earlyShare);
  if (expected > early && thread < Atomics.load(counts, used)) {
    if (Atomics.wait(counts, offered, known, (expected - early) / microsecondsPerMillisecond) !== 'timed-out') return;
    Atomics.add(counts, ready, 1);
    const seen = lookForJobs(counts, known, clock, 3 * early);
    Atomics.sub(counts, ready, 1);
    if (seen) return;
  }
  Atomics.wait(counts, offered, known);
}

function lookForJobs(counts: Int32Array, known: number, clock: Clock, microseconds: number): boolean {
  const end = clock.monotonic() + microseconds * nanosecondsPerMicrosecond;
  do for (let look = 0; look < looksPerTime; look++) if (Atomics.load(counts, offered) !== known) return true;
  while (clock.monotonic() < end);
  return false;
}
