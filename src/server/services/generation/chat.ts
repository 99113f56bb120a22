// Continues a conversation: builds the prompt from its messages, generates the answer and finds its tool calls.

import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ParsedOptions } from '../../../models/options.ts';
import { acquireModel, type GenerationServices, prepareModel, unloadModel } from '../models/prepare-model.ts';
import type { AnswerEvent } from './answer.ts';
import { type AnswerFormat, reportUnenforced, withUnenforced } from './answer-format.ts';
import { answerThinking, resolveThink } from './answer-thinking.ts';
import { buildPrompt, type ConversationInput, checkCapabilities, readMessages } from './chat-prompt.ts';
import { findToolCalls, type ToolCallsFound } from './find-tool-calls.ts';
import { type GenerationOptions, toEngineGenerationOptions } from './generation-options.ts';
import { offeredTools, requiredCallOf, type ToolChoice } from './tool-choice.ts';

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
        input.thinkingBudget,
      );
      for await (const event of withToolCalls(withUnenforced(events, unenforced), { ...input, tools }, template))
        yield event.type === 'started' ? { ...event, droppedMessages } : event;
    } finally {
      release();
    }
  };

  function withToolCalls(
    events: AsyncIterable<AnswerEvent>,
    { tools, parallelCalls = true }: Pick<ChatInput, 'tools' | 'parallelCalls'>,
    { callSyntax }: PromptTemplate,
  ): AsyncIterable<AnswerEvent | ToolCallsFound> {
    if (tools.length === 0) return events;
    const toolNames = tools.map(({ name }) => name);
    return findToolCalls(events, { syntax: callSyntax, toolNames, single: !parallelCalls, newCallId });
  }

  function warnOfDropped(model: string, dropped: number): void {
    if (dropped > 0)
      logger.warn('dropped the oldest messages of a conversation that is longer than the context', { model, dropped });
  }
}

function withGrammar(grammar: string | undefined): { readonly grammar?: string } {
  return grammar === undefined ? {} : { grammar };
}
