// Scans the logits of several rows at the same time. On a GPU a pass of 32 rows takes ten milliseconds, and scanning 32 times
// 128,256 logits on one thread two more. The threads are started when there is work for them. Until they run, and if they
// fail, the calling thread does the work alone.

import { Worker } from 'node:worker_threads';
import koffi from 'koffi';
import { createLogitViews } from '../../../llama/logit-views.ts';
import { doJobs, finished, foundTokens, maxJobs, offered, openBoard, overflow, placeOf } from './scan-board.ts';
import { createTopScan } from './top-scan.ts';

export interface ScanJob {
  /** Memory that all threads can read: llama.cpp's, or shared. */
  readonly logits: Float32Array;
  /** How many of the likeliest tokens decide. */
  readonly k: number;
}

export interface ScanPool {
  /** The tokens of each job, as TopScan finds them; undefined where they are not known. Valid until the next call. */
  run(jobs: readonly ScanJob[]): readonly (Int32Array | undefined)[];
  stop(): void;
}

export interface ScanPoolOptions {
  /** The built scan-thread.js. */
  readonly script: string;
  readonly threads: number;
  readonly vocabularySize: number;
}

export interface ThreadData {
  readonly buffer: SharedArrayBuffer;
  readonly vocabularySize: number;
}

// Logits. Fewer are scanned sooner than threads wake up.
const minLogits = 500_000;
const heapMegabytes = 16;
// A thread takes a few milliseconds at most. One that takes longer than this has failed.
const maxWaitMilliseconds = 2000;
// How often to look before the thread sleeps. The last jobs end within microseconds.
const maxLooks = 20_000;

export function createScanPool(options: ScanPoolOptions): ScanPool {
  const { script, threads: count, vocabularySize } = options;
  const scan = createTopScan(vocabularySize);
  const logitsAt = createLogitViews(vocabularySize);
  const board = openBoard();
  const { counts, addresses, limits, found } = board;
  let threads: Worker[] | undefined;
  let broken = false;

  const startThreads = (): Worker[] =>
    Array.from({ length: count }, () => {
      const workerData: ThreadData = { buffer: board.buffer, vocabularySize };
      const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes };
      const thread = new Worker(script, { workerData, env: {}, execArgv: [], resourceLimits });
      thread.on('error', ({ message }) => {
        process.stderr.write(`a thread that scans logits failed: ${message}\n`);
      });
      thread.unref();
      return thread;
    });

  const isFinished = (): boolean => {
    const end = Atomics.load(counts, offered);
    for (let look = 0; look < maxLooks; look++) if (Atomics.load(counts, finished) === end) return true;
    for (let now = Atomics.load(counts, finished); now !== end; now = Atomics.load(counts, finished)) {
      if (Atomics.wait(counts, finished, now, maxWaitMilliseconds) === 'timed-out') return false;
    }
    return true;
  };

  return {
    run(jobs) {
      if (broken || jobs.length > maxJobs || jobs.length * vocabularySize < minLogits) return [];
      threads ??= startThreads();
      const start = Atomics.load(counts, offered);
      jobs.forEach(({ logits, k }, index) => {
        const place = placeOf(start + index);
        addresses[place] = koffi.address(logits);
        limits[place] = k;
      });
      Atomics.store(counts, offered, (start + jobs.length) | 0);
      Atomics.notify(counts, offered);
      doJobs(board, scan, logitsAt);
      broken = !isFinished();
      if (broken) return [];
      return jobs.map((_, index) =>
        found[placeOf(start + index)] === overflow ? undefined : foundTokens(board, start + index),
      );
    },
    stop() {
      broken = true;
      for (const thread of threads ?? []) void thread.terminate();
    },
  };
}
