// Chooses the tokens of several rows at the same time. On a GPU a pass of 32 rows takes ten milliseconds; choosing 32 times
// among 128,256 tokens on one thread takes three more. The threads are started when there is work for them. Until they
// run, and if they fail, the calling thread does the work alone.

import { Worker } from 'node:worker_threads';
import koffi from 'koffi';
import { HearthError } from '../../../../../base/errors.ts';
import { writeErrorLine } from '../../../../../base/process/child-program.ts';
import type { Clock } from '../../../../../base/time/clock.ts';
import { nanosecondsPerMicrosecond } from '../../../../../base/time/duration.ts';
import type { LlamaApi } from '../../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../../llama/bindings/pointers.ts';
import {
  asleep,
  type ChoiceMaker,
  doJobs,
  finished,
  interval,
  maxJobs,
  noMask,
  offered,
  openBoard,
  placeOf,
  used,
  type Verdict,
  verdicts,
  wakeThreads,
} from './choice-board.ts';
import { type ChoiceMakerApi, createChoiceMaker } from './create-choice-maker.ts';

export interface ChoiceJob {
  /** Memory that all threads can read: llama.cpp's, or shared. */
  readonly logits: Float32Array;
  /** How many of the likeliest tokens decide. */
  readonly k: number;
  /** The samplers that choose. */
  readonly chain: SamplerPointer;
  /** The grammar that the choice is checked against. It accepts the choice if it allows it. */
  readonly mask?: SamplerPointer | undefined;
}

interface Choice {
  readonly logits: Float32Array;
  /** `noToken` if no token is possible. */
  readonly token: number;
  readonly verdict: Verdict;
}

interface ChoicePoolOptions {
  readonly api: ChoiceMakerApi & Pick<LlamaApi, 'library'>;
  /** The built choice-thread.js. */
  readonly script: string;
  readonly threads: number;
  readonly vocabularySize: number;
  readonly clock: Clock;
}

export interface ThreadData {
  readonly buffer: SharedArrayBuffer;
  readonly library: string;
  readonly vocabularySize: number;
  /** The number of the thread, from 0. */
  readonly thread: number;
}

// A choice from fewer is made sooner than threads wake up.
const minLogits = 300_000;
const heapMegabytes = 16;
// A thread takes a few milliseconds at most. One that takes longer than this has failed.
const maxWaitMilliseconds = 10_000;
// How often to look before the thread sleeps. The last jobs end within a part of a millisecond.
const maxLooks = 100_000;
// A longer time between two choices is not that of a pass.
const maxIntervalMicroseconds = 50_000;

export class ChoicePool {
  readonly #options: ChoicePoolOptions;
  readonly #maker: ChoiceMaker;
  readonly #board = openBoard();
  readonly #threads: Worker[] = [];
  #broken = false;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(options: ChoicePoolOptions) {
    this.#options = options;
    this.#maker = createChoiceMaker(options.api, options.vocabularySize, options.clock);
  }

  /**
   * Makes at most `count` choices. `prepare` returns the job of each, if there is one. No choices, and no calls, if the caller
   * alone makes them sooner.
   */
  run(count: number, prepare: (index: number) => ChoiceJob | undefined): readonly Choice[] {
    if (this.#broken || count > maxJobs || count * this.#options.vocabularySize < minLogits) return [];
    this.#measureInterval();
    this.#useThreads(count);
    try {
      return this.#chooseAll(
        Array.from({ length: count }, (_, index) => prepare(index)).filter((job) => job !== undefined),
      );
    } finally {
      this.#lastEnd = this.#options.clock.monotonic();
    }
  }

  stop(): void {
    this.#broken = true;
    for (const thread of this.#threads) void thread.terminate();
  }

  #startThread(): void {
    const workerData: ThreadData = {
      buffer: this.#board.buffer,
      library: this.#options.api.library,
      vocabularySize: this.#options.vocabularySize,
      thread: this.#threads.length,
    };
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes };
    const thread = new Worker(this.#options.script, { workerData, env: {}, execArgv: [], resourceLimits });
    thread.on('error', ({ message }) => writeErrorLine(`a thread that chooses tokens failed: ${message}`));
    thread.unref();
    this.#threads.push(thread);
  }

  /** The calling thread does one of the jobs. */
  #useThreads(jobs: number): void {
    const wanted = Math.min(this.#options.threads, jobs - 1);
    while (this.#threads.length < wanted) this.#startThread();
    Atomics.store(this.#board.counts, used, wanted);
  }

  #isFinished(): boolean {
    const end = Atomics.load(this.#board.counts, offered);
    for (let look = 0; look < maxLooks; look++) if (Atomics.load(this.#board.counts, finished) === end) return true;
    Atomics.store(this.#board.counts, asleep, 1);
    try {
      for (
        let now = Atomics.load(this.#board.counts, finished);
        now !== end;
        now = Atomics.load(this.#board.counts, finished)
      ) {
        if (Atomics.wait(this.#board.counts, finished, now, maxWaitMilliseconds) === 'timed-out') return false;
      }
      return true;
    } finally {
      Atomics.store(this.#board.counts, asleep, 0);
    }
  }

  #measureInterval(): void {
    const microseconds = Math.round((this.#options.clock.monotonic() - this.#lastEnd) / nanosecondsPerMicrosecond);
    Atomics.store(this.#board.counts, interval, microseconds < maxIntervalMicroseconds ? microseconds : 0);
  }

  #place({ logits, k, chain, mask }: ChoiceJob, job: number): void {
    const index = placeOf(job);
    this.#board.logits[index] = koffi.address(logits);
    this.#board.chains[index] = chain;
    this.#board.masks[index] = mask ?? noMask;
    this.#board.limits[index] = k;
  }

  #chooseAll(jobs: readonly ChoiceJob[]): readonly Choice[] {
    const start = Atomics.load(this.#board.counts, offered);
    for (const [index, job] of jobs.entries()) this.#place(job, start + index);
    Atomics.store(this.#board.counts, offered, (start + jobs.length) | 0);
    wakeThreads(this.#board);
    doJobs(this.#board, this.#maker);
    this.#broken = !this.#isFinished();
    // A thread has the chain of a request. Using it here as well would choose twice.
    if (this.#broken) throw new HearthError('request_failed', 'a thread that chooses tokens does not answer');
    return jobs.map(({ logits }, index) => {
      const place = placeOf(start + index);
      const verdict = verdicts[this.#board.judged[place] as number] as Verdict;
      return { logits, token: this.#board.chosen[place] as number, verdict };
    });
  }
}

/** Tokens that were chosen together, before each request asks for its own. */
export function createChoicesAhead(pool?: Pick<ChoicePool, 'run'>) {
  const known = new Map<Float32Array, Choice>();
  return {
    /** Makes choices with several threads if there are some: see ChoicePool. Forgets the choices before. */
    choose(count: number, prepare: (index: number) => ChoiceJob | undefined): void {
      if (pool === undefined) return;
      known.clear();
      for (const choice of pool.run(count, prepare)) known.set(choice.logits, choice);
    },
    /** What was chosen from these logits; undefined if nothing was. A second call returns undefined. */
    take(logits: Float32Array): Choice | undefined {
      const choice = known.get(logits);
      // The logits may have changed by the next time.
      known.delete(logits);
      return choice;
    },
  };
}

export type ChoicesAhead = ReturnType<typeof createChoicesAhead>;
