// Memory that the threads of a scan share: jobs, and who has taken and finished how many. The counts only grow, and wrap
// around; the place of a job is its number modulo the number of places. So a thread that wakes up late sees either no job
// or a complete one.

import type { TopScan } from './top-scan.ts';

/** The most jobs at a time. A power of two. */
export const maxJobs = 64;
// A scan for 128 tokens of a large vocabulary finds about a thousand. Of ascending logits it would find all.
const maxFound = 2048;
/** The count of a job that found more than there is room for. */
export const overflow = -1;

export interface ScanBoard {
  readonly buffer: SharedArrayBuffer;
  /** Numbers of jobs: those that exist, that were taken, that are finished. */
  readonly counts: Int32Array;
  readonly addresses: BigUint64Array;
  readonly limits: Int32Array;
  readonly found: Int32Array;
  readonly tokens: Int32Array;
}

export const offered = 0;
const taken = 1;
export const finished = 2;

export function openBoard(buffer = new SharedArrayBuffer(8 * maxJobs + 4 * (4 + maxJobs * (2 + maxFound)))): ScanBoard {
  const after = (bytes: number, length: number): Int32Array => new Int32Array(buffer, bytes, length);
  const numbers = 8 * maxJobs;
  return {
    buffer,
    addresses: new BigUint64Array(buffer, 0, maxJobs),
    counts: after(numbers, 4),
    limits: after(numbers + 16, maxJobs),
    found: after(numbers + 16 + 4 * maxJobs, maxJobs),
    tokens: after(numbers + 16 + 8 * maxJobs, maxJobs * maxFound),
  };
}

export const placeOf = (job: number): number => job & (maxJobs - 1);

/** The tokens that a finished job found. */
export function foundTokens({ tokens, found }: ScanBoard, job: number): Int32Array {
  const start = placeOf(job) * maxFound;
  return tokens.subarray(start, start + (found[placeOf(job)] as number));
}

/** Does jobs until none is left. */
export function doJobs(board: ScanBoard, scan: TopScan, logitsAt: (address: bigint) => Float32Array): void {
  const { counts, addresses, limits, found, tokens } = board;
  for (;;) {
    const job = Atomics.load(counts, taken);
    if (job === Atomics.load(counts, offered)) return;
    if (Atomics.compareExchange(counts, taken, job, (job + 1) | 0) !== job) continue;
    const place = placeOf(job);
    const count = scan.run(logitsAt(addresses[place] as bigint), limits[place] as number);
    if (count <= maxFound) tokens.set(scan.tokens.subarray(0, count), place * maxFound);
    found[place] = count <= maxFound ? count : overflow;
    Atomics.add(counts, finished, 1);
    Atomics.notify(counts, finished);
  }
}
