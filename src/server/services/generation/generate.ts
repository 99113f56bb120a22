// Completes a prompt.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { marksOf } from '../../../formats/chat/control-marks.ts';
import { tagImages } from '../../../formats/chat/image-tags.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { GenerateRequest } from '../../../inference/engine/ports.ts';
import type { ParsedOptions } from '../../../models/options.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { ThinkOption } from '../../../models/think.ts';
import {
  acquireModel,
  checkVision,
  type GenerationServices,
  hasForeignTemplate,
  type PreparedModel,
  prepareModel,
  remoteOf,
  unloadModel,
} from '../models/prepare-model.ts';
import { type AnswerEvent, type AnswerOptions, answer } from './answer.ts';
import { inLastChannel, splitChannels } from './answer-channels.ts';
import type { AnswerFormat } from './answer-format.ts';
import { openMeter } from './answer-meter.ts';
import { answerThinking, checkThink, resolveThink } from './answer-thinking.ts';
import { converse, type ForeignChat, type ForeignChatParts } from './converse.ts';
import { convertFormat } from './convert-format.ts';
import { checkImageCount, decodeImages } from './decode-images.ts';
import type { ToolCallsFound } from './find-tool-calls.ts';
import { type GenerationOptions, toEngineGenerationOptions } from './generation-options.ts';
import { withoutMarks } from './without-marks.ts';

export interface GenerateInput extends GenerationOptions {
  readonly model: RequestedModel;
  /** Empty: the model is only loaded, or unloaded if `keepAlive` is 0. */
  readonly prompt: string;
  /** The text after the gap to fill; empty: there is no gap. */
  readonly suffix: string;
  /** Empty: the model's own. */
  readonly system: string;
  readonly template: string;
  readonly context: readonly number[];
  /** The complete prompt as tokens; replaces all other parts. */
  readonly promptTokens?: readonly number[];
  readonly raw: boolean;
  readonly format: AnswerFormat | undefined;
  /** Base64. */
  readonly encodedImages: readonly string[];
  readonly options: ParsedOptions;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export type GenerateOutput = { readonly type: 'unloaded' } | { readonly type: 'loaded' } | AnswerEvent;

export type Generate = (input: Reported<GenerateInput>, signal: AbortSignal) => AsyncGenerator<GenerateOutput>;

export function createGenerate(services: GenerationServices): Generate {
  const { clock, logger, observer } = services;
  return async function* generate(input, signal) {
    const started = clock.monotonic();
    const isEmpty = input.prompt === '' && input.promptTokens === undefined;
    if (isEmpty && input.keepAlive === 0) {
      await unloadModel(services, input.model);
      yield { type: 'unloaded' };
      return;
    }
    checkInput(input);
    const generationOptions = toEngineGenerationOptions(input);
    const { grammar, notes } = await convertFormat(input, services);
    const prepared = await prepareModel(services, { ...input, task: 'generate' });
    if (isForeign(input, prepared)) {
      yield* completeRemotely(services, { input, prepared, started }, signal);
      return;
    }
    checkCapabilities(input, prepared);
    checkImageCount(input.encodedImages.length);
    const images = await decodeImages(input.encodedImages, services.convertWebp);
    const { lease, acquired, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      if (isEmpty) {
        yield { type: 'loaded' };
        return;
      }
      const think = isRaw(input) ? undefined : resolveThink(prepared.template, input.think);
      const request = {
        ...(await promptOf(input, { prepared, images, think })),
        ...generationOptions,
        images,
        options: prepared.sample,
        ...marksFor(input, prepared, think),
        ...(grammar === undefined ? {} : { grammar }),
      };
      const modelName = prepared.model.displayName;
      const meter = openMeter(input);
      const options = {
        lease,
        request,
        modelName,
        notes: { ...remoteOf(prepared), ...notes },
        meter,
        started,
        acquired,
        clock,
        logger,
        observer,
        signal,
      };
      const { template } = prepared;
      yield* isRaw(input) ? answer(options) : answerInParts(options, { template, think });
    } finally {
      release();
    }
  };
}

function marksFor(
  input: GenerateInput,
  { template }: PreparedModel,
  think: ThinkOption | undefined,
): Pick<GenerateRequest, 'keepTokens'> {
  return isRaw(input) ? {} : { keepTokens: marksOf(template, { thinks: Boolean(think), calls: false }) };
}

/** Separates thinking and content. */
function answerInParts(
  options: AnswerOptions,
  { template, think }: { readonly template: PromptTemplate; readonly think: ThinkOption | undefined },
): AsyncGenerator<AnswerEvent> {
  const { grammar, keepTokens: marks = [], ...free } = options.request;
  if (!template.hasChannels)
    return withoutMarks(answerThinking(options, think ? template.thinkingTags : undefined), marks);
  const request = { ...free, keepTokens: marks, ...(grammar === undefined ? {} : inLastChannel(grammar)) };
  const noCalls = { tools: [], newCallId: () => '', single: true };
  return withoutMarks(withoutCalls(splitChannels(answer({ ...options, request }), noCalls)), marks);
}

async function* withoutCalls(events: AsyncIterable<AnswerEvent | ToolCallsFound>): AsyncGenerator<AnswerEvent> {
  for await (const event of events) if (event.type !== 'tool-calls') yield event;
}

function checkInput({ raw, template, system, context }: GenerateInput): void {
  if (raw && (template !== '' || system !== '' || context.length > 0)) {
    throw new HearthError('bad_request', 'raw mode does not support template, system, or context');
  }
}

function checkCapabilities(input: GenerateInput, prepared: PreparedModel): void {
  const { model, template } = prepared;
  if (input.suffix !== '' && !template.supportsInsertion)
    throw new HearthError('unsupported', `${model.displayName} does not support insert`);
  if (input.encodedImages.length > 0) checkVision(input.model, prepared);
  checkThink(input, input.model, template);
}

/** The prompt is the message of a conversation. */
function isForeign(input: GenerateInput, prepared: PreparedModel): boolean {
  return hasForeignTemplate(prepared) && !isRaw(input) && input.template === '';
}

async function* completeRemotely(
  services: GenerationServices,
  { input, ...parts }: Omit<ForeignChatParts, 'request'> & { readonly input: Reported<GenerateInput> },
  signal: AbortSignal,
): AsyncGenerator<GenerateOutput> {
  checkForeign(input, parts.prepared);
  for await (const event of converse(services, { ...parts, request: toConversation(input) }, signal))
    if (event.type !== 'tool-calls') yield event;
}

/** These are parts of a prompt, which a remote model does not get. */
function checkForeign({ suffix, context }: GenerateInput, { model }: PreparedModel): void {
  const part = suffix === '' ? 'context' : 'insert';
  if (suffix !== '' || context.length > 0)
    throw new HearthError('unsupported', `${model.displayName} runs on a remote, which does not support ${part}`);
}

function toConversation(input: Reported<GenerateInput>): Reported<ForeignChat> {
  const { system, prompt, encodedImages } = input;
  return {
    ...input,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system, encodedImages: [] }]),
      ...(prompt === '' ? [] : [{ role: 'user', content: prompt, encodedImages }]),
    ],
    tools: [],
    toolChoice: 'none',
    parallelCalls: false,
  };
}

/** The template is not applied. */
function isRaw({ raw, promptTokens }: GenerateInput): boolean {
  return raw || promptTokens !== undefined;
}

interface PromptParts {
  readonly prepared: PreparedModel;
  readonly images: readonly Buffer[];
  readonly think: ThinkOption | undefined;
}

async function promptOf(
  input: GenerateInput,
  parts: PromptParts,
): Promise<Pick<GenerateRequest, 'prompt' | 'context' | 'wantContext'>> {
  const { prompt, promptTokens, context } = input;
  if (isRaw(input)) return { prompt, context: promptTokens ?? [], wantContext: false };
  return { prompt: await buildPrompt(input, parts), context, wantContext: true };
}

async function buildPrompt(
  input: GenerateInput,
  { prepared: { model, template }, images, think }: PromptParts,
): Promise<string> {
  if (input.suffix !== '') return template.renderInsertion(input);
  const system = input.system || model.system;
  const { messages } = tagImages([
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    // A context already contains the model's messages.
    ...(input.context.length > 0 ? [] : model.messages),
    { role: 'user', content: input.prompt, images },
  ]);
  return template.renderConversation({ messages, tools: [], ...(think === undefined ? {} : { think }) });
}
