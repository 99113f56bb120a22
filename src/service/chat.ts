// Goes on with a conversation: builds the prompt from its messages, borrows the model, passes on what it says and finds
// the tools that it calls.

import type { Message, Tool } from '../chat/message.ts';
import type { PromptTemplate } from '../chat/prompt-template.ts';
import { HearthError } from '../kernel/errors.ts';
import { type AnswerEvent, answer } from './answer.ts';
import { formatToGrammar } from './answer-format.ts';
import { findToolCalls, type ToolCallsFound } from './find-tool-calls.ts';
import { fitPrompt } from './fit-prompt.ts';
import {
  acquireModel,
  checkEyes,
  type GenerationServices,
  type PreparedModel,
  prepareModel,
  unloadModel,
} from './prepare-model.ts';
import { readPictures } from './read-pictures.ts';

export interface ChatInput {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly format: unknown;
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

/** A message whose pictures are still as they came: base64. */
export interface ChatMessage extends Omit<Message, 'images'> {
  readonly pictures: readonly string[];
}

export type ChatOutput =
  | { readonly type: 'unloaded' }
  | { readonly type: 'loaded' }
  | (Extract<AnswerEvent, { type: 'started' }> & { readonly droppedMessages: number })
  | Exclude<AnswerEvent, { type: 'started' }>
  | ToolCallsFound;

export type Chat = (input: ChatInput, signal: AbortSignal) => AsyncGenerator<ChatOutput>;

export interface ChatServices extends GenerationServices {
  /** A name for a call that no other call has. */
  readonly newCallId: () => string;
}

export function createChat(services: ChatServices): Chat {
  const { clock, logger, observer, newCallId } = services;

  return async function* chat(input, signal) {
    const begun = clock.monotonic();
    if (input.messages.length === 0 && input.keepAlive === 0) {
      await unloadModel(services, input.model);
      yield { type: 'unloaded' };
      return;
    }
    const grammar = formatToGrammar(input.format);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'chat' });
    checkAbilities(input, prepared);
    const messages = await readMessages(input.messages);
    const { lease, acquired, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      if (messages.length === 0) {
        yield { type: 'loaded' };
        return;
      }
      const { template, model, sample } = prepared;
      const source = { template, tools: input.tools, messages: withModelMessages(messages, model) };
      const room = { contextLength: lease.model.info.contextLength, countTokens: lease.countTokens };
      const { droppedMessages, ...prompt } = await fitPrompt(source, room);
      warnOfDropped(model.displayName, droppedMessages);
      const request = {
        ...prompt,
        context: [],
        options: sample,
        wantContext: false,
        ...(grammar === undefined ? {} : { grammar }),
      };
      const events = answer({
        lease,
        request,
        modelName: model.displayName,
        begun,
        acquired,
        clock,
        logger,
        observer,
        signal,
      });
      for await (const event of withToolCalls(events, input.tools, template))
        yield event.type === 'started' ? { ...event, droppedMessages } : event;
    } finally {
      release();
    }
  };

  function withToolCalls(
    events: AsyncIterable<AnswerEvent>,
    tools: readonly Tool[],
    { toolFormat }: PromptTemplate,
  ): AsyncIterable<AnswerEvent | ToolCallsFound> {
    if (tools.length === 0) return events;
    return findToolCalls(events, { format: toolFormat, toolNames: tools.map(({ name }) => name), newCallId });
  }

  function warnOfDropped(model: string, dropped: number): void {
    if (dropped > 0)
      logger.warn('a conversation is longer than the context and lost its oldest messages', { model, dropped });
  }
}

function checkAbilities(input: ChatInput, { model, template }: PreparedModel): void {
  if (input.tools.length > 0 && !template.supportsTools)
    throw new HearthError('unsupported', `${model.displayName} does not support tools`);
  if (input.messages.some(({ pictures }) => pictures.length > 0)) checkEyes(input.model, model);
}

async function readMessages(messages: readonly ChatMessage[]): Promise<Message[]> {
  const read: Message[] = [];
  for (const { pictures, ...message } of messages) {
    const images = await readPictures(pictures);
    read.push(images.length > 0 ? { ...message, images } : message);
  }
  return read;
}

// What the model has to say of itself comes first, unless the conversation begins with instructions of its own.
function withModelMessages(
  messages: readonly Message[],
  model: { readonly system: string; readonly messages: readonly Message[] },
): Message[] {
  const own = messages[0]?.role !== 'system' && model.system !== '' ? [{ role: 'system', content: model.system }] : [];
  return [...own, ...model.messages, ...messages];
}
