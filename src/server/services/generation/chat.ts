// Continues a conversation: builds the prompt from its messages, generates the answer and finds its tool calls.

import { HearthError } from '../../../base/errors.ts';
import type { Message, Tool } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ConvertWebp } from '../../../formats/image/webp-converter.ts';
import type { Lease } from '../../../inference/engine/ports.ts';
import type { ParsedOptions } from '../../../models/options.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { ThinkOption } from '../../../models/think.ts';
import {
  acquireModel,
  checkVision,
  type GenerationServices,
  type PreparedModel,
  prepareModel,
  unloadModel,
} from '../models/prepare-model.ts';
import type { AnswerEvent } from './answer.ts';
import { type AnswerFormat, reportUnenforced, withUnenforced } from './answer-format.ts';
import { answerThinking, checkThink, resolveThink, stripOldThinking } from './answer-thinking.ts';
import { checkImageCount, decodeImages } from './decode-images.ts';
import { findToolCalls, type ToolCallsFound } from './find-tool-calls.ts';
import { type ChatPrompt, completePrompt, fitPrompt } from './fit-prompt.ts';
import { type GenerationOptions, toEngineGenerationOptions } from './generation-options.ts';
import { offeredTools, requiredCallOf, type ToolChoice } from './tool-choice.ts';

export interface ChatInput extends GenerationOptions {
  readonly model: RequestedModel;
  /** Empty: the model is only loaded, or unloaded if `keepAlive` is 0. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  /** Absent: the model decides whether to call one. */
  readonly toolChoice?: ToolChoice;
  readonly format: AnswerFormat | undefined;
  readonly options: ParsedOptions;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

/** A message whose images are base64 texts. */
export interface ChatMessage extends Omit<Message, 'images'> {
  readonly encodedImages: readonly string[];
}

export type ChatOutput =
  | { readonly type: 'unloaded' }
  | { readonly type: 'loaded' }
  | (Extract<AnswerEvent, { type: 'started' }> & { readonly droppedMessages: number })
  | Exclude<AnswerEvent, { type: 'started' }>
  | ToolCallsFound;

export type Chat = (input: ChatInput, signal: AbortSignal) => AsyncGenerator<ChatOutput>;

export interface ChatServices extends GenerationServices {
  /** Returns a unique id. */
  readonly newCallId: () => string;
}

export function createChat(services: ChatServices): Chat {
  const { clock, logger, observer, grammars, newCallId } = services;

  return async function* chat(input, signal) {
    const started = clock.monotonic();
    if (input.messages.length === 0 && input.keepAlive === 0) {
      await unloadModel(services, input.model);
      yield { type: 'unloaded' };
      return;
    }
    const generationOptions = toEngineGenerationOptions(input);
    const { toolChoice = 'auto' } = input;
    const tools = offeredTools(input.tools, toolChoice);
    const formatGrammar = await grammars.ofFormat(input.format);
    const unenforced = reportUnenforced(input, logger);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'chat' });
    checkCapabilities({ ...input, tools }, prepared);
    const callGrammar = await grammars.ofCall(requiredCallOf(tools, toolChoice, prepared.template.callSyntax));
    const messages = await readMessages(input.messages, services.convertWebp);
    const { lease, acquired, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      if (messages.length === 0) {
        yield { type: 'loaded' };
        return;
      }
      const { template, model, sample } = prepared;
      const think = resolveThink(template, input.think);
      const { droppedMessages, ...prompt } = await buildPrompt(
        { ...input, tools },
        { messages, prepared, lease, think },
      );
      warnOfDropped(model.displayName, droppedMessages);
      const request = {
        ...prompt,
        ...generationOptions,
        context: [],
        options: sample,
        wantContext: false,
        ...withGrammar(callGrammar ?? formatGrammar),
      };
      const events = answerThinking(
        { lease, request, modelName: model.displayName, started, acquired, clock, logger, observer, signal },
        think ? template.thinkingTags : undefined,
      );
      for await (const event of withToolCalls(withUnenforced(events, unenforced), tools, template))
        yield event.type === 'started' ? { ...event, droppedMessages } : event;
    } finally {
      release();
    }
  };

  function withToolCalls(
    events: AsyncIterable<AnswerEvent>,
    tools: readonly Tool[],
    { callSyntax }: PromptTemplate,
  ): AsyncIterable<AnswerEvent | ToolCallsFound> {
    if (tools.length === 0) return events;
    return findToolCalls(events, { syntax: callSyntax, toolNames: tools.map(({ name }) => name), newCallId });
  }

  function warnOfDropped(model: string, dropped: number): void {
    if (dropped > 0)
      logger.warn('dropped the oldest messages of a conversation that is longer than the context', { model, dropped });
  }
}

function withGrammar(grammar: string | undefined): { readonly grammar?: string } {
  return grammar === undefined ? {} : { grammar };
}

interface PromptParts {
  readonly messages: readonly Message[];
  readonly prepared: PreparedModel;
  readonly lease: Lease;
  readonly think: ThinkOption | undefined;
}

function buildPrompt(
  { tools, truncate }: Pick<ChatInput, 'tools' | 'truncate'>,
  { messages, prepared: { template, model }, lease, think }: PromptParts,
): Promise<ChatPrompt> {
  const source = {
    template,
    tools,
    messages: stripOldThinking(withModelMessages(messages, model), template.thinkingTags),
    ...(think === undefined ? {} : { think }),
  };
  const limit = { contextLength: lease.model.info.contextLength, countTokens: lease.countTokens };
  return truncate === false ? completePrompt(source) : fitPrompt(source, limit);
}

function checkCapabilities(
  input: Pick<ChatInput, 'model' | 'messages' | 'tools' | 'think' | 'thinkIfAble'>,
  prepared: PreparedModel,
): void {
  const { model, template } = prepared;
  if (input.tools.length > 0 && !template.supportsTools)
    throw new HearthError('unsupported', `${model.displayName} does not support tools`);
  if (input.messages.some(({ encodedImages }) => encodedImages.length > 0)) checkVision(input.model, prepared);
  checkThink(input, input.model, template);
}

async function readMessages(messages: readonly ChatMessage[], convertWebp: ConvertWebp): Promise<Message[]> {
  checkImageCount(messages.reduce((sum, { encodedImages }) => sum + encodedImages.length, 0));
  const read: Message[] = [];
  for (const { encodedImages, ...message } of messages) {
    const images = await decodeImages(encodedImages, convertWebp);
    read.push(images.length > 0 ? { ...message, images } : message);
  }
  return read;
}

// The model's own messages come first. A system message at the start of the conversation replaces the model's.
function withModelMessages(
  messages: readonly Message[],
  model: { readonly system: string; readonly messages: readonly Message[] },
): Message[] {
  const own = messages[0]?.role !== 'system' && model.system !== '' ? [{ role: 'system', content: model.system }] : [];
  return [...own, ...model.messages, ...messages];
}
