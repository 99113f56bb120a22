// Runs one generation on a lease: passes on its events, measures it and logs it.

import type { Logger } from '../../../base/logger.ts';
import { pipe } from '../../../base/pipe.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type {
  ConversationEvent,
  GenerateRequest,
  GenerateStats,
  Lease,
  TokenLogprob,
} from '../../../inference/engine/ports.ts';
import type { RemoteReference } from '../../../models/remote-reference.ts';
import type { AnswerMeter } from './answer-meter.ts';
import type { AnswerObserved, ServiceObserver } from './observer.ts';

/** `started`, then texts, then `done`; or an error. Log probabilities precede the text of their tokens. */
export type AnswerEvent =
  | ({
      readonly type: 'started';
      readonly promptTokens: number;
      /** Prompt tokens that the prefix cache provided. */
      readonly cachedTokens: number;
      readonly droppedTokens: number;
      /** Options of the request that the model does not have. */
      readonly ignoredOptions?: readonly string[];
    } & StartNotes)
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | AnswerDone;

/** What is known about an answer before the engine starts it. */
export interface StartNotes {
  /** Where the model runs, if that is not this machine. */
  readonly remote?: RemoteReference;
  /** Keywords of the schema that the answer may not satisfy, if there are any. */
  readonly unenforced?: readonly string[];
  /** The number of messages that did not fit into the context. */
  readonly droppedMessages?: number;
}

export interface AnswerDone extends GenerateStats {
  readonly type: 'done';
  readonly reason: 'stop' | 'length';
  /** The stop sequence that ended the answer, if one did. */
  readonly stopSequence?: string;
  /** Prompt tokens that the prefix cache provided. */
  readonly cachedTokens: number;
  /** The part of `generatedTokens` that is thinking. */
  readonly thinkingTokens: number;
  readonly context?: readonly number[];
  readonly totalNanoseconds: number;
  readonly loadNanoseconds: number;
}

/** What is measured of an answer, and where that goes. */
export interface AnswerMeasures {
  readonly modelName: string;
  /** They are a part of the start of the answer. */
  readonly notes: StartNotes;
  readonly meter: AnswerMeter;
  /** When the request arrived and when it got its lease: times of the monotonic clock. */
  readonly started: number;
  readonly acquired: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
}

export interface AnswerOptions extends AnswerMeasures {
  readonly lease: Lease;
  readonly request: GenerateRequest;
  readonly signal: AbortSignal;
}

export function answer(options: AnswerOptions): AsyncGenerator<AnswerEvent> {
  const { lease, request, signal } = options;
  // The calls in an answer to a prompt are text.
  return measureAnswer(lease.generate(request, signal), request.prompt, options) as AsyncGenerator<AnswerEvent>;
}

type CallsEvent = Extract<ConversationEvent, { type: 'tool-calls' }>;

/** `prompt` is only noted. */
export function measureAnswer(
  events: AsyncIterable<ConversationEvent>,
  prompt: string,
  { modelName, notes, meter, started, acquired, clock, logger, observer }: AnswerMeasures,
): AsyncGenerator<AnswerEvent | CallsEvent> {
  const counted = {
    promptTokens: 0,
    cachedTokens: 0,
    diskTokens: 0,
    generatedTokens: 0,
    ...draftedOf({}),
  };
  let firstText: number | undefined;
  let isStarted = false;
  let seconds: number | undefined;
  const count = meter.open(prompt);
  return pipe(events, {
    push(uncounted: ConversationEvent, pass: (event: AnswerEvent | CallsEvent) => void) {
      const event = count(uncounted);
      switch (event.type) {
        case 'started':
          isStarted = true;
          observer.waited(modelName, (clock.monotonic() - started) / nanosecondsPerSecond);
          counted.promptTokens = event.promptTokens;
          counted.cachedTokens = event.cachedTokens;
          counted.diskTokens = event.diskTokens ?? 0;
          warnOfDropped(logger, modelName, event.droppedTokens);
          pass({ ...event, ...notes });
          break;
        case 'thinking':
        case 'tool-calls':
          firstText ??= clock.monotonic();
          pass(event);
          break;
        case 'text':
          firstText ??= clock.monotonic();
          counted.generatedTokens = event.generatedTokens;
          if (event.logprobs) pass({ type: 'logprobs', tokens: event.logprobs });
          pass({ type: 'text', text: event.text });
          break;
        case 'done': {
          const { stats, cachedTokens = counted.cachedTokens, ...rest } = event;
          // A remote model counts its prompt at the end.
          Object.assign(counted, { promptTokens: Math.max(counted.promptTokens, stats.promptTokens), cachedTokens });
          const done = {
            ...rest,
            ...stats,
            cachedTokens,
            thinkingTokens: 0,
            totalNanoseconds: clock.monotonic() - started,
            loadNanoseconds: acquired - started,
          };
          counted.generatedTokens = stats.generatedTokens;
          Object.assign(counted, draftedOf(stats));
          seconds = stats.generateNanoseconds / nanosecondsPerSecond;
          logAnswer(logger, modelName, done);
          pass(done);
        }
      }
    },
    // Also for an aborted answer.
    close() {
      if (!isStarted) return;
      observer.answered({
        model: modelName,
        ...counted,
        generateSeconds: seconds ?? (clock.monotonic() - (firstText ?? clock.monotonic())) / nanosecondsPerSecond,
        ...(firstText === undefined ? {} : { firstTextSeconds: (firstText - started) / nanosecondsPerSecond }),
      });
    },
  });
}

// The caller gets the number of dropped tokens in a header, the operator gets this warning.
function warnOfDropped(logger: Logger, model: string, dropped: number): void {
  if (dropped > 0) logger.warn('truncated a prompt that is longer than the context', { model, dropped });
}

type DraftCounts = Pick<
  AnswerObserved,
  'draftedTokens' | 'acceptedTokens' | 'modelDraftedTokens' | 'modelAcceptedTokens'
>;

function draftedOf(stats: Partial<DraftCounts>): DraftCounts {
  const { draftedTokens = 0, acceptedTokens = 0, modelDraftedTokens = 0, modelAcceptedTokens = 0 } = stats;
  return { draftedTokens, acceptedTokens, modelDraftedTokens, modelAcceptedTokens };
}

function logAnswer(logger: Logger, model: string, done: AnswerDone): void {
  logger.info('answered', {
    model,
    prompt: done.promptTokens,
    cached: done.cachedTokens,
    generated: done.generatedTokens,
    reason: done.reason,
    ms: Math.round(done.totalNanoseconds / nanosecondsPerMillisecond),
  });
}
