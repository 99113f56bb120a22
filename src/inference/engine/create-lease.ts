// A request's hold on a loaded model. If the runner dies before it has started the request, the request moves to
// another runner, once, and its caller does not notice. Until then the request can lose its place in the queue.

import { HearthError, toHearthError } from '../../base/errors.ts';
import { openLater, startingWith } from '../../base/pipe.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { GenerateCommand } from '../protocol/messages.ts';
import type { GenerateRequest, Lease } from './ports.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import type { HeldModel } from './residency/residency.ts';

export interface HeldRunner extends HeldModel {
  readonly runner: RunnerProcess;
}

interface LeaseOptions {
  readonly held: HeldRunner;
  /** The signal of the request. */
  readonly signal: AbortSignal;
  /** Acquires the same model again. */
  readonly reacquire: (signal: AbortSignal) => Promise<HeldRunner>;
  readonly toCommand: (request: GenerateRequest) => Omit<GenerateCommand, 'type' | 'id'>;
}

export function createLease({ held: first, signal: requestSignal, reacquire, toCommand }: LeaseOptions): Lease {
  let held = first;
  let released = false;
  let begun = false;
  let moved = false;

  const started = (): void => {
    begun = true;
    held.begin();
  };
  const release = (): void => {
    if (!released) held.release();
    released = true;
  };
  /** A signal for a call that waits for the runner to start the request. */
  const whileQueued = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, held.evicted]);
  const recover = async (error: unknown, signal: AbortSignal): Promise<void> => {
    if (held.evicted.aborted) throw held.evicted.reason;
    await move(error, signal);
  };
  const move = async (error: unknown, signal: AbortSignal): Promise<void> => {
    if (begun || moved || released || toHearthError(error).code !== 'runner_died') throw error;
    moved = true;
    // Until the exit is known, the same dead runner could be returned again.
    await held.runner.exited;
    release();
    held = await reacquire(signal);
    released = false;
  };

  async function ask<Answer>(question: (runner: HeldRunner['runner']) => Promise<Answer>): Promise<Answer> {
    try {
      return await question(held.runner);
    } catch (error) {
      await move(error, requestSignal);
      return question(held.runner);
    }
  }

  /** The request counts as waiting until the first event. */
  async function begin(request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterable<AnswerEvent>> {
    const events = held.runner.generate(toCommand(request), whileQueued(signal))[Symbol.asyncIterator]();
    try {
      const first = await events.next();
      started();
      return startingWith(first, events);
    } catch (error) {
      await recover(error, signal);
      return begin(request, signal);
    }
  }

  /** The call counts as waiting until its first vectors. */
  async function collect<Result>(
    call: (runner: HeldRunner['runner'], signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    try {
      return await call(held.runner, whileQueued(signal));
    } catch (error) {
      await recover(error, signal);
      return call(held.runner, signal);
    }
  }

  return {
    get model() {
      return held.describe();
    },
    get loadTime() {
      return held.loadTime;
    },
    generate: (request, signal) => openLater(() => begin(request, signal)),
    embed: (request, signal) => collect((runner, queued) => runner.embed(request, queued, started), signal),
    rank: (request, signal) => collect((runner, queued) => runner.rank(request, queued, started), signal),
    countTokens: (prompt, images) => ask((runner) => runner.countTokens(prompt, { images, signal: requestSignal })),
    tokenize: (text, options) => ask((runner) => runner.tokenize(text, { ...options, signal: requestSignal })),
    detokenize: (tokens) => ask((runner) => runner.detokenize(tokens, { signal: requestSignal })),
    piecesOf: (tokens) => ask((runner) => runner.piecesOf(tokens, { signal: requestSignal })),
    release,
  };
}

export function requireRunner(held: HeldModel): HeldRunner {
  if (isRunner(held)) return held;
  held.release();
  throw new HearthError('internal', 'the model is loaded by another engine');
}

function isRunner(held: HeldModel): held is HeldRunner {
  return 'generate' in held.runner;
}
