// Runs a request for an answer, and measures it: for the metrics, the log and the usage of the request.

import { HearthError, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { onClosed, openLater, pipe, type Step } from '../../../base/pipe.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import type { RequestTimes } from '../../../base/request/request-times.ts';
import type { AnswerWork, RequestWork } from '../../../base/request/request-work.ts';
import type { ExpectedTokens, TokenMeter } from '../../../base/request/token-meter.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { AnswerDone, AnswerEvent, AnswerStarted } from '../../../inference/model/answer-event.ts';
import type { Conversation, GenerationOptions } from '../../../inference/model/conversation.ts';
import type { Model } from '../../../inference/model/model.ts';
import type { AnswerObserved, ServiceObserver } from './observer.ts';
import { type GenerationServices, type ModelInput, prepareModel } from './prepare-model.ts';

export interface AnswerInput extends ModelInput, GenerationOptions {
  /** Empty: the model's own. */
  readonly template?: string;
  /** Another answer of the same request has the same prompt, whose tokens count once. */
  readonly sharesPrompt?: boolean;
}

export type PromptSize = Pick<ExpectedTokens, 'promptBytes' | 'images'>;

interface Asked {
  readonly operation: AnswerWork['operation'];
  readonly ask: (model: Model) => AsyncIterable<AnswerEvent>;
  readonly prompt: PromptSize;
}

/** `tokens` are passed on only with log probabilities, and if the request wants to know about them. */
export function answerRequest(
  services: GenerationServices,
  input: Reported<AnswerInput>,
  { operation, ask, prompt }: Asked,
): AsyncGenerator<AnswerEvent> {
  return openLater(async () => {
    const startedAt = services.clock.monotonic();
    checkLimits(input);
    const work = currentRequest()?.trace?.work;
    const times = work === undefined ? input.report.times : input.report.times.ofAnswer(startedAt);
    const model = await prepareModel(services, { ...input, times, startedAt });
    let meter: TokenMeter | undefined;
    const release = (): void => {
      meter?.close();
      model.release();
    };
    try {
      meter = await services.openMeter(expect(input, prompt));
      return onClosed(
        pipe(ask(model), measure(services, { model, operation, input, times, work, startedAt, meter })),
        release,
      );
    } catch (error) {
      release();
      throw error;
    }
  });
}

function expect({ options, sharesPrompt, promptOnly }: AnswerInput, prompt: PromptSize): ExpectedTokens {
  const { numPredict = 0 } = options.values;
  const answerTokens = promptOnly ? 0 : numPredict > 0 ? numPredict : undefined;
  return sharesPrompt ? { promptBytes: 0, answerTokens } : { ...prompt, answerTokens };
}

const maxTopLogprobs = 20;
// Every bias costs time for every token.
const maxBiases = 1024;

function checkLimits({ topLogprobs, promptLogprobs, logitBias = [] }: GenerationOptions): void {
  const { top = 0 } = promptLogprobs ?? {};
  if (top < 0 || top > maxTopLogprobs)
    throw new HearthError('bad_request', `prompt_logprobs must be between 0 and ${maxTopLogprobs}`);
  if (topLogprobs !== undefined && (topLogprobs < 0 || topLogprobs > maxTopLogprobs))
    throw new HearthError('bad_request', `top_logprobs must be between 0 and ${maxTopLogprobs}`);
  if (logitBias.length > maxBiases)
    throw new HearthError('bad_request', `logit_bias has more than ${maxBiases} entries`);
}

interface Measured extends Pick<Asked, 'operation'> {
  readonly model: Model;
  readonly input: Reported<AnswerInput>;
  readonly times: RequestTimes;
  readonly work: RequestWork | undefined;
  readonly startedAt: number;
  readonly meter: TokenMeter;
}

interface MeasureServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
}

function measure(
  { clock, logger, observer }: MeasureServices,
  { model: { name }, operation, input, times, work, startedAt, meter }: Measured,
): Step<AnswerEvent, AnswerEvent> {
  const usage = input.report.openCount();
  const passesTokens = input.tokenIds === true || input.tokenCounts === true;
  let addText: ((text: string) => void) | undefined;
  let started: AnswerStarted | undefined;
  let done: AnswerDone | undefined;
  let firstTextAt: number | undefined;
  let generatedTokens = 0;
  let isExhausted = false;

  const start = (event: AnswerStarted): void => {
    started = event;
    input.report.ignore(event.ignored ?? []);
    if (event.remote === undefined) times.begun(clock.monotonic());
    observer.waited(name, (clock.monotonic() - startedAt) / nanosecondsPerSecond);
    addText = input.report.openExchange(event.prompt ?? '');
    if (!input.sharesPrompt) countPrompt(event);
    countInQuota();
    logStart(logger, { name, requested: input.model.text }, event);
  };
  const countPrompt = ({ promptTokens, cachedTokens }: AnswerStarted | AnswerDone): void => {
    Object.assign(usage, { promptTokens, cachedTokens });
  };
  /** The tokens of the current event are passed on: the answer ends before the next ones. */
  const countInQuota = (): void => {
    isExhausted = !meter.count(usage.promptTokens + usage.generatedTokens);
  };
  /** The end of an answer that the quota cuts. */
  const toEnd = (): AnswerDone => {
    const now = clock.monotonic();
    return cutDone(started, { startedAt, firstTextAt: firstTextAt ?? now, now, generatedTokens });
  };
  const finish = (event: AnswerDone): void => {
    done = event;
    usage.generatedTokens = event.generatedTokens;
    // A remote model counts its prompt at the end.
    if (usage.promptTokens === 0 && !input.sharesPrompt) countPrompt(event);
    countInQuota();
    logEnd(logger, name, event);
  };

  return {
    push(event, pass, end) {
      if (event.type === 'tokens' && isExhausted) {
        const last = toEnd();
        finish(last);
        pass(last);
        end();
        return;
      }
      if (event.type === 'tokens') {
        firstTextAt ??= clock.monotonic();
        times.text(firstTextAt);
        generatedTokens = event.generatedTokens;
        usage.generatedTokens = generatedTokens;
        countInQuota();
        addText?.(event.text);
        if (event.logprobs === undefined && !passesTokens) return;
      } else if (event.type === 'started') start(event);
      else if (event.type === 'done') finish(event);
      pass(event);
    },
    // Also for an aborted answer.
    close(error) {
      const now = clock.monotonic();
      work?.add({
        type: 'answer',
        operation,
        requested: input.model.text,
        model: name,
        from: startedAt,
        until: now,
        parts: times.timelineUntil(now),
        ...usage,
        thinkingTokens: done?.thinkingTokens ?? 0,
        reason: done?.reason,
        failure: error === undefined ? undefined : toHearthError(error).code,
      });
      if (started === undefined) return;
      const { promptTokens, cachedTokens, diskTokens = 0 } = started;
      const seconds = (since: number, until: number): number => (until - since) / nanosecondsPerSecond;
      observer.answered({
        model: name,
        promptTokens: Math.max(promptTokens, done?.promptTokens ?? 0),
        cachedTokens: done?.cachedTokens ?? cachedTokens,
        diskTokens,
        generatedTokens: done?.generatedTokens ?? generatedTokens,
        ...draftedOf(done),
        generateSeconds: done ? done.generateNanoseconds / nanosecondsPerSecond : seconds(firstTextAt ?? now, now),
        firstTextSeconds: firstTextAt === undefined ? undefined : seconds(startedAt, firstTextAt),
      });
    },
  };
}

interface CutAnswer {
  readonly startedAt: number;
  readonly firstTextAt: number;
  readonly now: number;
  readonly generatedTokens: number;
}

/** The end of an answer that is cut here, so that the engine does not report it. */
export function cutDone(started: AnswerStarted | undefined, cut: CutAnswer): AnswerDone {
  const { promptTokens = 0, cachedTokens = 0 } = started ?? {};
  const { startedAt, firstTextAt, now, generatedTokens } = cut;
  const times = {
    promptNanoseconds: firstTextAt - startedAt,
    generateNanoseconds: now - firstTextAt,
    totalNanoseconds: now - startedAt,
    loadNanoseconds: 0,
  };
  return { type: 'done', reason: 'length', promptTokens, cachedTokens, generatedTokens, thinkingTokens: 0, ...times };
}

type DraftCounts = Pick<
  AnswerObserved,
  'draftedTokens' | 'acceptedTokens' | 'modelDraftedTokens' | 'modelAcceptedTokens'
>;

function draftedOf(done: Partial<DraftCounts> = {}): DraftCounts {
  const { draftedTokens = 0, acceptedTokens = 0, modelDraftedTokens = 0, modelAcceptedTokens = 0 } = done;
  return { draftedTokens, acceptedTokens, modelDraftedTokens, modelAcceptedTokens };
}

/** The caller gets these in headers, the operator gets warnings. */
function logStart(
  logger: Logger,
  { name: model, requested }: { readonly name: string; readonly requested: string },
  { droppedTokens, droppedMessages = 0, unenforced = [] }: AnswerStarted,
): void {
  if (droppedTokens > 0)
    logger.warn('truncated a prompt that is longer than the context', { model, dropped: droppedTokens });
  if (droppedMessages > 0)
    logger.warn('dropped the oldest messages of a conversation that is longer than the context', {
      model,
      dropped: droppedMessages,
    });
  if (unenforced.length > 0)
    logger.warn('keywords of a schema are not enforced', { model: requested, keywords: unenforced.join(' ') });
}

function logEnd(logger: Logger, model: string, done: AnswerDone): void {
  logger.info('answered', {
    model,
    prompt: done.promptTokens,
    cached: done.cachedTokens,
    generated: done.generatedTokens,
    reason: done.reason,
    ms: Math.round(done.totalNanoseconds / nanosecondsPerMillisecond),
  });
  const { violations = [] } = done;
  if (violations.length > 0) logger.warn('an answer violates its schema', { model, keywords: violations.join(' ') });
}

// Continues a conversation.

export interface ChatInput extends Conversation, Omit<AnswerInput, 'template'> {}

export type Chat = (input: Reported<ChatInput>, signal: AbortSignal) => AsyncGenerator<AnswerEvent>;

export function createChat(services: GenerationServices): Chat {
  return (input, signal) =>
    answerRequest(services, input, {
      operation: 'chat',
      ask: (model) => model.answer(input, signal),
      prompt: promptOf(input),
    });
}

function promptOf({ messages, tools }: ChatInput): PromptSize {
  const texts = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const images = messages.reduce((sum, { encodedImages }) => sum + encodedImages.length, 0);
  // The definitions of tools are a part of the prompt.
  return { promptBytes: texts + tools.length * toolBytes, images };
}

const toolBytes = 256;
