// Continues a conversation with a model whose template is on another server: the messages go there, and the parts of the
// answer come back.

import { HearthError } from '../../../base/errors.ts';
import { onClosed, only, openLater, pipe, type Step } from '../../../base/pipe.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { createThinkingParser, type ThinkingOutput } from '../../../formats/chat/thinking/thinking-parser.ts';
import type { ConversationRequest } from '../../../inference/engine/conversation.ts';
import { acquireModel, type GenerationServices, type PreparedModel, remoteOf } from '../models/prepare-model.ts';
import { type AnswerEvent, measureAnswer } from './answer.ts';
import type { AnswerFormat } from './answer-format.ts';
import { openMeter } from './answer-meter.ts';
import { type ConversationInput, readMessages, withModelMessages } from './chat-prompt.ts';
import type { ToolCallsFound } from './find-tool-calls.ts';
import { type GenerationOptions, toEngineGenerationOptions } from './generation-options.ts';
import type { ToolChoice } from './tool-choice.ts';

export interface ForeignChat extends ConversationInput, GenerationOptions {
  readonly toolChoice: ToolChoice;
  readonly parallelCalls: boolean;
  readonly format: AnswerFormat | undefined;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export interface ForeignChatParts {
  readonly request: Reported<ForeignChat>;
  readonly prepared: PreparedModel;
  /** When the request arrived: a time of the monotonic clock. */
  readonly started: number;
}

export type ConverseOutput = { readonly type: 'loaded' } | AnswerEvent | ToolCallsFound;

export interface ConverseServices extends GenerationServices {
  /** Returns a unique id. Absent: there are no tools. */
  readonly newCallId?: () => string;
}

export function converse(
  services: ConverseServices,
  { request, prepared, started }: ForeignChatParts,
  signal: AbortSignal,
): AsyncGenerator<ConverseOutput> {
  const { clock, logger, observer, convertWebp, newCallId = () => '' } = services;
  return openLater<ConverseOutput>(async () => {
    const messages = await readMessages(request.messages, convertWebp);
    const { lease, acquired, release } = await acquireModel(services, prepared, request.keepAlive, signal);
    try {
      if (messages.length === 0) return onClosed(only({ type: 'loaded' }), release);
      const { model } = prepared;
      const conversation = toRequest(request, prepared, withModelMessages(messages, model));
      if (lease.converse === undefined) throw new HearthError('internal', `${model.displayName} has no template`);
      const measures = {
        modelName: model.displayName,
        // A remote does not shorten conversations.
        notes: { ...remoteOf(prepared), droppedMessages: 0 },
        meter: openMeter(request),
        started,
        acquired,
        clock,
        logger,
        observer,
      };
      const events = measureAnswer(lease.converse(conversation, signal), textOf(conversation), measures);
      return onClosed(pipe(events, createSplitter(newCallId, request.parallelCalls)), release);
    } catch (error) {
      release();
      throw error;
    }
  });
}

function toRequest(
  { tools, toolChoice, parallelCalls, format, think, thinkingBudget, ...options }: ForeignChat,
  { given }: PreparedModel,
  messages: ConversationRequest['messages'],
): ConversationRequest {
  const { topLogprobs, logitBias } = toEngineGenerationOptions(options);
  return {
    messages,
    tools,
    toolChoice,
    parallelCalls,
    options: given,
    ...(format === undefined ? {} : { format }),
    ...(think === undefined ? {} : { think }),
    ...(thinkingBudget === undefined ? {} : { thinkingBudget }),
    ...(topLogprobs === undefined ? {} : { topLogprobs }),
    ...(logitBias === undefined ? {} : { logitBias }),
  };
}

/** For the log of requests. */
function textOf({ messages }: ConversationRequest): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
}

/** Servers without a parser for the thinking of their model send it as content. Not all of them limit calls to one. */
function createSplitter(
  newCallId: () => string,
  parallelCalls: boolean,
): Step<AnswerEvent | ToolCallsFound, AnswerEvent | ToolCallsFound> {
  const parser = createThinkingParser({ open: '<think>', close: '</think>' }, false);
  let hasCalled = false;
  return {
    push(event, pass) {
      if (event.type === 'text') passOutputs(parser.push(event.text), pass);
      else if (event.type === 'tool-calls') {
        if (hasCalled && !parallelCalls) return;
        hasCalled = true;
        const calls = parallelCalls ? event.calls : event.calls.slice(0, 1);
        pass({ type: 'tool-calls', calls: calls.map((call) => ({ id: newCallId(), ...call })) });
      } else {
        if (event.type === 'done') passOutputs(parser.finish(), pass);
        pass(event);
      }
    },
  };
}

function passOutputs({ thinking, content }: ThinkingOutput, pass: (event: AnswerEvent) => void): void {
  if (thinking !== '') pass({ type: 'thinking', text: thinking });
  if (content !== '') pass({ type: 'text', text: content });
}
