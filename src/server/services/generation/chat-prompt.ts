// From the messages of a request to its prompt: checks them, decodes images, adds the messages of the model, renders.

import { HearthError } from '../../../base/errors.ts';
import { placeSystemMessages } from '../../../formats/chat/late-system.ts';
import type { Message, Tool } from '../../../formats/chat/message.ts';
import type { ConvertWebp } from '../../../formats/image/webp-converter.ts';
import type { Lease } from '../../../inference/engine/ports.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { ThinkOption } from '../../../models/think.ts';
import { checkVision, type PreparedModel } from '../models/prepare-model.ts';
import { checkThink, stripOldThinking } from './answer-thinking.ts';
import { checkImageCount, decodeImages } from './decode-images.ts';
import { type ChatPrompt, type ChatPromptSource, checkPromptLength, completePrompt, fitPrompt } from './fit-prompt.ts';
import type { GenerationOptions } from './generation-options.ts';

export interface ConversationInput extends Pick<GenerationOptions, 'think' | 'thinkIfAble' | 'truncate'> {
  readonly model: RequestedModel;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  /** True: system messages in the middle of the conversation stay there, with every template. */
  readonly systemInPlace?: boolean;
}

/** A message whose images are base64 texts. */
export interface ChatMessage extends Omit<Message, 'images'> {
  readonly encodedImages: readonly string[];
}

export interface PromptParts {
  readonly messages: readonly Message[];
  readonly prepared: PreparedModel;
  readonly lease: Lease;
  readonly think: ThinkOption | undefined;
}

/** As much of the conversation as fits. Throws if it does not fit and may not be truncated. */
export async function buildPrompt(input: ConversationInput, parts: PromptParts): Promise<ChatPrompt> {
  const source = await sourceOf(input, parts);
  const { model, countTokens } = parts.lease;
  const limit = { contextLength: model.info.contextLength, countTokens };
  if (input.truncate !== false) return fitPrompt(source, limit);
  const prompt = await completePrompt(source);
  await checkPromptLength(prompt, limit);
  return prompt;
}

/** The entire conversation, even if it does not fit. */
export async function buildCompletePrompt(input: ConversationInput, parts: PromptParts): Promise<ChatPrompt> {
  return completePrompt(await sourceOf(input, parts));
}

async function sourceOf(
  { tools, systemInPlace }: ConversationInput,
  { messages, prepared: { template, model }, think }: PromptParts,
): Promise<ChatPromptSource> {
  const placed = systemInPlace ? await placeSystemMessages(messages, template) : messages;
  return {
    template,
    tools,
    messages: stripOldThinking(withModelMessages(placed, model), template.thinkingTags),
    ...(think === undefined ? {} : { think }),
  };
}

export function checkCapabilities(input: ConversationInput, prepared: PreparedModel): void {
  const { model, template } = prepared;
  if (input.tools.length > 0 && !template.supportsTools)
    throw new HearthError('unsupported', `${model.displayName} does not support tools`);
  if (input.messages.some(({ encodedImages }) => encodedImages.length > 0)) checkVision(input.model, prepared);
  checkThink(input, input.model, template);
}

export async function readMessages(messages: readonly ChatMessage[], convertWebp: ConvertWebp): Promise<Message[]> {
  checkImageCount(messages.reduce((sum, { encodedImages }) => sum + encodedImages.length, 0));
  const read: Message[] = [];
  for (const { encodedImages, ...message } of messages) {
    const images = await decodeImages(encodedImages, convertWebp);
    read.push(images.length > 0 ? { ...message, images } : message);
  }
  return read;
}

/** The model's own messages come first. A system message at the start of the conversation replaces the model's. */
export function withModelMessages(
  messages: readonly Message[],
  model: { readonly system: string; readonly messages: readonly Message[] },
): Message[] {
  const own = messages[0]?.role !== 'system' && model.system !== '' ? [{ role: 'system', content: model.system }] : [];
  return [...own, ...model.messages, ...messages];
}
