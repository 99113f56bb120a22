// Runs one request on a borrowed model: passes on what it says, and takes the time.

import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { GenerateRequest, GenerateStats, Lease, TokenLogprob } from '../../../inference/engine/ports.ts';
import type { ServiceObserver } from './observer.ts';

/** Always `started` first, then texts, then `done`; or an error. Probabilities come before the text of their tokens. */
export type AnswerEvent =
  | {
      readonly type: 'started';
      readonly promptTokens: number;
      /** Prompt tokens that the prefix cache provided. */
      readonly cachedTokens: number;
      readonly droppedTokens: number;
    }
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | AnswerDone;

export interface AnswerDone extends GenerateStats {
  readonly type: 'done';
  readonly reason: 'stop' | 'length';
  /** The stop sequence that ended the answer, if one did. */
  readonly stopSequence?: string;
  readonly context?: readonly number[];
  readonly totalNanoseconds: number;
  readonly loadNanoseconds: number;
}

export interface AnswerOptions {
  readonly lease: Lease;
  readonly request: GenerateRequest;
  readonly modelName: string;
  /** When the request came, and when it had its model: readings of the monotonic clock. */
  readonly begun: number;
  readonly acquired: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
  readonly signal: AbortSignal;
}

export async function* answer(options: AnswerOptions): AsyncGenerator<AnswerEvent> {
  const { lease, request, modelName, begun, acquired, clock, logger, observer, signal } = options;
  const counted = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
  let firstText: number | undefined;
  let isStarted = false;
  let seconds: number | undefined;
  try {
    for await (const event of lease.generate(request, signal)) {
      switch (event.type) {
        case 'started':
          isStarted = true;
          observer.waited(modelName, (clock.monotonic() - begun) / nanosecondsPerSecond);
          counted.promptTokens = event.promptTokens;
          counted.cachedTokens = event.cachedTokens;
          warnOfDropped(logger, modelName, event.droppedTokens);
          yield event;
          break;
        case 'text':
          firstText ??= clock.monotonic();
          // A piece is a token or a few; the last event says how many they were.
          counted.generatedTokens++;
          if (event.logprobs) yield { type: 'logprobs', tokens: event.logprobs };
          yield { type: 'text', text: event.text };
          break;
        case 'done': {
          const { stats, ...rest } = event;
          const done = {
            ...rest,
            ...stats,
            totalNanoseconds: clock.monotonic() - begun,
            loadNanoseconds: acquired - begun,
          };
          counted.generatedTokens = stats.generatedTokens;
          seconds = stats.generateNanoseconds / nanosecondsPerSecond;
          logAnswer(logger, { modelName, cached: counted.cachedTokens, done });
          yield done;
        }
      }
    }
  } finally {
    // Also of an answer that was broken off.
    if (isStarted)
      observer.answered({
        model: modelName,
        ...counted,
        generateSeconds: seconds ?? (clock.monotonic() - (firstText ?? clock.monotonic())) / nanosecondsPerSecond,
        ...(firstText === undefined ? {} : { firstTextSeconds: (firstText - begun) / nanosecondsPerSecond }),
      });
  }
}

// A prompt that does not fit loses its middle; the caller learns it from a header, the operator from here.
function warnOfDropped(logger: Logger, model: string, dropped: number): void {
  if (dropped > 0) logger.warn('a prompt is longer than the context and was cut', { model, dropped });
}

function logAnswer(logger: Logger, answered: { modelName: string; cached: number; done: AnswerDone }): void {
  const { modelName, cached, done } = answered;
  logger.info('answered', {
    model: modelName,
    prompt: done.promptTokens,
    cached,
    generated: done.generatedTokens,
    reason: done.reason,
    ms: Math.round(done.totalNanoseconds / nanosecondsPerMillisecond),
  });
}
