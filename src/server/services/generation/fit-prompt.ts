// The prompt of a conversation, with as much of its history as the context has room for.

import { HearthError } from '../../../base/errors.ts';
import { tagImages } from '../../../formats/chat/image-tags.ts';
import type { Message, Tool } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import { truncateHistory } from '../../../formats/chat/truncate-history.ts';
import type { ThinkOption } from '../../../models/think.ts';

export interface ChatPromptSource {
  readonly template: PromptTemplate;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly think?: ThinkOption;
}

export interface ChatPrompt {
  readonly prompt: string;
  readonly images: readonly Buffer[];
  readonly droppedMessages: number;
}

export interface PromptRoom {
  readonly contextLength: number;
  /** Of a prompt with so many pictures in it. */
  readonly countTokens: (prompt: string, images: number) => Promise<number>;
}

/** The whole history, whether it fits or not. */
export async function wholePrompt(source: ChatPromptSource): Promise<ChatPrompt> {
  const { prompt, images } = await render(source, source.messages);
  return { prompt, images, droppedMessages: 0 };
}

export async function fitPrompt(source: ChatPromptSource, room: PromptRoom): Promise<ChatPrompt> {
  let fitting: Rendered | undefined;
  const { messages, dropped } = await truncateHistory(source.messages, async (candidate) => {
    try {
      const rendered = await render(source, candidate);
      const doesFit = await fits(rendered, room);
      if (doesFit) fitting = rendered;
      return doesFit;
    } catch (error) {
      // Some templates refuse a conversation that does not begin with a question. That is no reason to give up
      // on a shorter one; the whole one has to render.
      const isPart = candidate.length < source.messages.length;
      if (isPart && error instanceof HearthError && error.code === 'bad_template') return false;
      throw error;
    }
  });
  // The last one that fitted is the longest; the last message alone is taken without a question.
  const { prompt, images } = fitting?.messages === messages.length ? fitting : await render(source, messages);
  return { prompt, images, droppedMessages: dropped };
}

interface Rendered {
  readonly prompt: string;
  readonly images: readonly Buffer[];
  /** How many messages are in it. */
  readonly messages: number;
}

async function render({ template, tools, think }: ChatPromptSource, messages: readonly Message[]): Promise<Rendered> {
  const { messages: tagged, images } = tagImages(messages);
  const prompt = await template.renderConversation({
    messages: tagged,
    tools,
    ...(think === undefined ? {} : { think }),
  });
  return { prompt, images, messages: messages.length };
}

async function fits({ prompt, images }: Rendered, { contextLength, countTokens }: PromptRoom): Promise<boolean> {
  // No token is shorter than a byte: most conversations need no counting.
  if (images.length === 0 && Buffer.byteLength(prompt) < contextLength) return true;
  return (await countTokens(prompt, images.length)) < contextLength;
}
