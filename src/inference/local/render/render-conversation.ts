// From the messages of a conversation to a prompt: adds the messages of the model, and renders as much history as fits.

import { HearthError } from '../../../base/errors.ts';
import { placeSystemMessages } from '../../../formats/chat/late-system.ts';
import { tagImages } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ThinkOption } from '../../../models/think.ts';
import type { Lease } from '../../engine/ports.ts';
import type { Conversation, Message, Tool } from '../../model/conversation.ts';
import { PromptTooLongError } from '../../model/prompt-too-long.ts';
import { withModelMessages } from '../../model/read-messages.ts';
import { stripOldThinking } from './thinking.ts';

interface RenderParts {
  /** With decoded images. */
  readonly messages: readonly Message[];
  readonly model: { readonly system: string; readonly messages: readonly Message[] };
  readonly template: PromptTemplate;
  readonly think: ThinkOption | undefined;
}

type RenderedConversation = Pick<Conversation, 'tools' | 'systemInPlace' | 'truncate' | 'templateVariables'>;

/** As much of the conversation as fits. Throws if it does not fit and may not be truncated. */
export async function renderFitting(
  conversation: RenderedConversation,
  parts: RenderParts,
  lease: Lease,
): Promise<ChatPrompt> {
  const source = await sourceOf(conversation, parts);
  const limit = { contextLength: lease.model.info.contextLength, countTokens: lease.countTokens };
  if (conversation.truncate !== false) return fitPrompt(source, limit);
  const prompt = await completePrompt(source);
  await checkPromptLength(prompt, limit);
  return prompt;
}

/** The entire conversation, even if it does not fit. */
export async function renderComplete(conversation: RenderedConversation, parts: RenderParts): Promise<ChatPrompt> {
  return completePrompt(await sourceOf(conversation, parts));
}

async function sourceOf(
  { tools, systemInPlace, templateVariables: variables }: RenderedConversation,
  { messages, model, template, think }: RenderParts,
): Promise<ChatPromptSource> {
  const placed = systemInPlace ? await placeSystemMessages(messages, template) : messages;
  const complete = withModelMessages(placed, model);
  const keepsThinking = template.isRendered || variables?.['preserve_thinking'] === true;
  return {
    template,
    tools,
    messages: keepsThinking ? complete : stripOldThinking(complete, template.thinkingTags),
    think,
    variables,
  };
}

// Builds the prompt of a conversation, with as much history as fits into the context.

interface ChatPromptSource {
  readonly template: PromptTemplate;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly think?: ThinkOption;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

interface ChatPrompt {
  readonly prompt: string;
  readonly images: readonly Buffer[];
  readonly droppedMessages: number;
}

interface ContextLimit {
  readonly contextLength: number;
  /** Counts the tokens of a prompt that contains `images` images. */
  readonly countTokens: (prompt: string, images: number) => Promise<number>;
}

/** Includes the entire history, even if it does not fit. */
async function completePrompt(source: ChatPromptSource): Promise<ChatPrompt> {
  const { prompt, images } = await render(source, source.messages);
  return { prompt, images, droppedMessages: 0 };
}

async function checkPromptLength(prompt: Pick<ChatPrompt, 'prompt' | 'images'>, limit: ContextLimit) {
  const tokens = await countUpTo(prompt, limit);
  if (tokens >= limit.contextLength) throw new PromptTooLongError(tokens, limit.contextLength - 1);
}

async function fitPrompt(source: ChatPromptSource, limit: ContextLimit): Promise<ChatPrompt> {
  let fitting: Rendered | undefined;
  const { messages, dropped } = await truncateHistory(source.messages, async (candidate) => {
    try {
      const rendered = await render(source, candidate);
      const doesFit = await fits(rendered, limit);
      if (doesFit) fitting = rendered;
      return doesFit;
    } catch (error) {
      // Some templates reject a conversation that does not start with a user message. A shorter one may still render.
      // The entire conversation has to.
      const isPart = candidate.length < source.messages.length;
      if (isPart && error instanceof HearthError && error.code === 'bad_template') return false;
      throw error;
    }
  });
  // The last one that fits is the longest. The last message alone was not rendered yet.
  const { prompt, images } = fitting?.messages === messages.length ? fitting : await render(source, messages);
  return { prompt, images, droppedMessages: dropped };
}

interface Rendered {
  readonly prompt: string;
  readonly images: readonly Buffer[];
  /** The number of messages. */
  readonly messages: number;
}

async function render(
  { template, tools, think, variables }: ChatPromptSource,
  messages: readonly Message[],
): Promise<Rendered> {
  const { messages: tagged, images } = tagImages(messages, template);
  const prompt = await template.renderConversation({
    messages: tagged,
    tools,
    think,
    variables,
  });
  return { prompt, images, messages: messages.length };
}

async function fits(rendered: Rendered, limit: ContextLimit): Promise<boolean> {
  return (await countUpTo(rendered, limit)) < limit.contextLength;
}

/** An upper bound of the number of tokens if the prompt fits, and the number itself otherwise. */
async function countUpTo(
  { prompt, images }: Pick<ChatPrompt, 'prompt' | 'images'>,
  { contextLength, countTokens }: ContextLimit,
): Promise<number> {
  // A token has at least one byte, so most conversations need not be counted.
  const bytes = Buffer.byteLength(prompt);
  return images.length === 0 && bytes < contextLength ? bytes : countTokens(prompt, images.length);
}

// Truncates a conversation that is longer than the context. It drops as few of the oldest messages as possible, and
// never the last message or a system message.

/** Whether a conversation fits. Rendering and counting are expensive, so it is called as rarely as possible. */
type FitCheck = (messages: readonly Message[]) => Promise<boolean>;

export async function truncateHistory(
  messages: readonly Message[],
  fits: FitCheck,
): Promise<{ readonly messages: readonly Message[]; readonly dropped: number }> {
  if (messages.length <= 1 || (await fits(messages))) return { messages, dropped: 0 };
  // If a history fits, every shorter one fits too: binary search.
  let tooFew = 0;
  let enough = messages.length - 1;
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (await fits(withoutOldest(messages, middle))) enough = middle;
    else tooFew = middle;
  }
  const kept = withoutOldest(messages, enough);
  return { messages: kept, dropped: messages.length - kept.length };
}

function withoutOldest(messages: readonly Message[], count: number): Message[] {
  const system = messages.slice(0, count).filter(({ role }) => role === 'system');
  return [...system, ...messages.slice(count)];
}
