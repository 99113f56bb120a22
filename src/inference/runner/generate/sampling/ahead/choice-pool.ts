// Chooses the tokens of several rows at the same time. On a GPU a pass of 32 rows takes ten milliseconds; choosing 32 times
// among 128,256 tokens on one thread takes three more. The threads are started when there is work for them. Until they
// run, and if they fail, the calling thread does the work alone.

import { Worker } from 'node:worker_threads';
import koffi from 'koffi';
import { HearthError } from '../../../../../base/errors.ts';
import type { LlamaApi } from '../../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../../llama/bindings/pointers.ts';
import { asleep, doJobs, finished, maxJobs, offered, openBoard, placeOf, wakeThreads } from './choice-board.ts';
import { createChoose } from './create-choose.ts';

export interface ChoiceJob {
  /** Memory that all threads can read: llama.cpp's, or shared. */
  readonly logits: Float32Array;
  /** How many of the likeliest tokens decide. */
  readonly k: number;
  /** The samplers that choose. */
  readonly chain: SamplerPointer;
}

export interface Choice {
  readonly logits: Float32Array;
  /** Or noToken. */
  readonly token: number;
}

export interface ChoicePool {
  /**
   * Makes at most `count` choices. `prepare` returns the job of each, if there is one. No choices, and no calls, if the caller
   * alone makes them sooner.
   */
  run(count: number, prepare: (index: number) => ChoiceJob | undefined): readonly Choice[];
  stop(): void;
}

export interface ChoicePoolOptions {
  readonly api: Pick<LlamaApi, 'library' | 'samplerApply'>;
  /** The built choice-thread.js. */
  readonly script: string;
  readonly threads: number;
  readonly vocabularySize: number;
}

export interface ThreadData {
  readonly buffer: SharedArrayBuffer;
  readonly library: string;
  readonly vocabularySize: number;
}

// Logits. A choice from fewer is made sooner than threads wake up.
const minLogits = 300_000;
const heapMegabytes = 16;
// A thread takes a few milliseconds at most. One that takes longer than this has failed.
const maxWaitMilliseconds = 10_000;
// How often to look before the thread sleeps. The last jobs end within a part of a millisecond.
const maxLooks = 100_000;

export function createChoicePool({ api, script, threads: count, vocabularySize }: ChoicePoolOptions): ChoicePool {
  const choose = createChoose(api, vocabularySize);
  const board = openBoard();
  const { counts, logits: addresses, chains, limits, chosen } = board;
  let threads: Worker[] | undefined;
  let broken = false;

  const startThreads = (): Worker[] =>
    Array.from({ length: count }, () => {
      const workerData: ThreadData = { buffer: board.buffer, library: api.library, vocabularySize };
      const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes };
      const thread = new Worker(script, { workerData, env: {}, execArgv: [], resourceLimits });
      thread.on('error', ({ message }) => {
        process.stderr.write(`a thread that chooses tokens failed: ${message}\n`);
      });
      thread.unref();
      return thread;
    });

  const isFinished = (): boolean => {
    const end = Atomics.load(counts, offered);
    for (let look = 0; look < maxLooks; look++) if (Atomics.load(counts, finished) === end) return true;
    Atomics.store(counts, asleep, 1);
    try {
      for (let now = Atomics.load(counts, finished); now !== end; now = Atomics.load(counts, finished)) {
        if (Atomics.wait(counts, finished, now, maxWaitMilliseconds) === 'timed-out') return false;
      }
      return true;
    } finally {
      Atomics.store(counts, asleep, 0);
    }
  };

  const place = ({ logits, k, chain }: ChoiceJob, job: number): void => {
    const index = placeOf(job);
    addresses[index] = koffi.address(logits);
    chains[index] = chain;
    limits[index] = k;
  };

  return {
    run(count, prepare) {
      if (broken || count > maxJobs || count * vocabularySize < minLogits) return [];
      threads ??= startThreads();
      const start = Atomics.load(counts, offered);
      const rows: Float32Array[] = [];
      for (let index = 0; index < count; index++) {
        const job = prepare(index);
        if (job === undefined) continue;
        place(job, start + rows.length);
        rows.push(job.logits);
      }
      Atomics.store(counts, offered, (start + rows.length) | 0);
      wakeThreads(board);
      doJobs(board, choose);
      broken = !isFinished();
      // A thread has the chain of a request. Using it here as well would choose twice.
      if (broken) throw new HearthError('request_failed', 'a thread that chooses tokens does not answer');
      return rows.map((logits, index) => ({ logits, token: chosen[placeOf(start + index)] as number }));
    },
    stop() {
      broken = true;
      for (const thread of threads ?? []) void thread.terminate();
    },
  };
}
