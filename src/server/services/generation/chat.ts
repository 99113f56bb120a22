// Continues a conversation: builds the prompt from its messages, generates the answer and finds its tool calls.

import { onClosed, only, openLater } from '../../../base/pipe.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { marksOf } from '../../../formats/chat/control-marks.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ParsedOptions } from '../../../models/options.ts';
import type { ThinkOption } from '../../../models/think.ts';
import {
  acquireModel,
  type GenerationServices,
  hasForeignTemplate,
  prepareModel,
  remoteOf,
  unloadModel,
} from '../models/prepare-model.ts';
import { type AnswerEvent, type AnswerOptions, answer } from './answer.ts';
import { inLastChannel, splitChannels } from './answer-channels.ts';
import type { AnswerFormat } from './answer-format.ts';
import { openMeter } from './answer-meter.ts';
import { answerThinking, isInside, resolveThink } from './answer-thinking.ts';
import { buildPrompt, type ConversationInput, checkCapabilities, readMessages } from './chat-prompt.ts';
import { converse } from './converse.ts';
import { convertFormat } from './convert-format.ts';
import { findToolCalls, type ToolCallsFound } from './find-tool-calls.ts';
import { type GenerationOptions, toEngineGenerationOptions } from './generation-options.ts';
import { type CallConstraint, holdCalls, offeredTools, type ToolChoice } from './tool-choice.ts';
import { withoutMarks } from './without-marks.ts';

/** Without messages the model is only loaded, or unloaded if `keepAlive` is 0. */
export interface ChatInput extends ConversationInput, GenerationOptions {
  /** Absent: the model decides whether to call one. */
  readonly toolChoice?: ToolChoice;
  /** False: an answer has at most one tool call. */
  readonly parallelCalls?: boolean;
  readonly format: AnswerFormat | undefined;
  readonly options: ParsedOptions;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export type ChatOutput = { readonly type: 'unloaded' } | { readonly type: 'loaded' } | AnswerEvent | ToolCallsFound;

export type Chat = (input: Reported<ChatInput>, signal: AbortSignal) => AsyncGenerator<ChatOutput>;

export interface ChatServices extends GenerationServices {
  /** Returns a unique id. */
  readonly newCallId: () => string;
}

export function createChat(services: ChatServices): Chat {
  const { clock, logger, observer, grammars, newCallId } = services;

  async function open(input: Reported<ChatInput>, signal: AbortSignal): Promise<AsyncIterable<ChatOutput>> {
    const started = clock.monotonic();
    if (input.messages.length === 0 && input.keepAlive === 0) {
      await unloadModel(services, input.model);
      return only({ type: 'unloaded' });
    }
    const generationOptions = toEngineGenerationOptions(input);
    const { toolChoice = 'auto', parallelCalls = true } = input;
    const tools = offeredTools(input.tools, toolChoice);
    const { grammar: formatGrammar, notes } = await convertFormat(input, services);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'chat' });
    if (hasForeignTemplate(prepared)) {
      const request = { ...input, tools, toolChoice, parallelCalls };
      return converse(services, { request, prepared, started }, signal);
    }
    checkCapabilities({ ...input, tools }, prepared);
    const { layout } = prepared.template.callSyntax;
    const held = await holdCalls(grammars, { tools, choice: toolChoice, layout, parallel: parallelCalls });
    const messages = await readMessages(input.messages, services.convertWebp);
    const { lease, acquired, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      if (messages.length === 0) return onClosed(only({ type: 'loaded' }), release);
      const { template, model, sample } = prepared;
      const think = resolveThink(template, input.think);
      const { droppedMessages, ...prompt } = await buildPrompt(
        { ...input, tools },
        { messages, prepared, lease, think },
      );
      warnOfDropped(model.displayName, droppedMessages);
      const marks = marksOf(template, { thinks: Boolean(think), calls: tools.length > 0 });
      const request = {
        ...prompt,
        ...generationOptions,
        context: [],
        options: sample,
        wantContext: false,
        keepTokens: marks,
        ...constraintOf({ formatGrammar, held, template, think, prompt: prompt.prompt }),
      };
      const events = findParts(
        {
          lease,
          request,
          modelName: model.displayName,
          notes: { ...remoteOf(prepared), ...notes, droppedMessages },
          meter: openMeter(input),
          started,
          acquired,
          clock,
          logger,
          observer,
          signal,
        },
        { ...input, template, tools, think, parallelCalls },
      );
      return onClosed(withoutMarks(events, marks), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Separates thinking, content and calls. */
  function findParts(options: AnswerOptions, sources: PartsSources): AsyncIterable<AnswerEvent | ToolCallsFound> {
    const { template, tools, think, thinkingBudget, parallelCalls } = sources;
    const calls = { tools, newCallId, single: !parallelCalls };
    if (template.hasChannels) return splitChannels(answer(options), calls);
    const events = answerThinking(options, think ? template.thinkingTags : undefined, thinkingBudget);
    return tools.length === 0 ? events : findToolCalls(events, { syntax: template.callSyntax, ...calls });
  }

  function warnOfDropped(model: string, dropped: number): void {
    if (dropped > 0)
      logger.warn('dropped the oldest messages of a conversation that is longer than the context', { model, dropped });
  }

  return (input, signal) => openLater(() => open(input, signal));
}

interface PartsSources extends Pick<ChatInput, 'thinkingBudget'> {
  readonly template: PromptTemplate;
  readonly tools: readonly Tool[];
  readonly think: ThinkOption | undefined;
  readonly parallelCalls: boolean;
}

interface ConstraintSources {
  readonly formatGrammar: string | undefined;
  readonly held: CallConstraint;
  readonly template: PromptTemplate;
  readonly think: ThinkOption | undefined;
  readonly prompt: string;
}

/** A required call is more important than a format, and a format than a call that the model may make. */
function constraintOf({ formatGrammar, held, template, think, prompt }: ConstraintSources): CallConstraint {
  if (held.grammar !== undefined) return held;
  if (formatGrammar !== undefined)
    return template.hasChannels ? inLastChannel(formatGrammar) : { grammar: formatGrammar };
  const tags = think || template.hasChannels ? template.thinkingTags : undefined;
  if (held.lazyGrammar === undefined || tags === undefined) return held;
  return { lazyGrammar: { ...held.lazyGrammar, thinking: { ...tags, begun: isInside(prompt, tags) } } };
}
