// The messages of a request with their images and recordings decoded, and the messages that the model itself begins with.

import { HearthError } from '../../base/errors.ts';
import type { ConversationMessage, Message } from './conversation.ts';
import { checkMediaCount, decodeMedia, type MediaDecoders, newAudioBudget } from './read-media.ts';

export async function readMessages(
  messages: readonly ConversationMessage[],
  decoders: MediaDecoders,
): Promise<Message[]> {
  checkLength(messages);
  checkMediaCount(messages.reduce((sum, { encodedImages }) => sum + encodedImages.length, 0));
  const read: Message[] = [];
  const budget = newAudioBudget();
  for (const { encodedImages, ...message } of messages) {
    const images = await decodeMedia(encodedImages, decoders, budget);
    read.push(images.length > 0 ? { ...message, images } : message);
  }
  return read;
}

// A template visits each message and each call. More of them would exceed the steps that it may take.
const maxMessages = 10_000;

function checkLength(messages: readonly ConversationMessage[]): void {
  const calls = messages.reduce((sum, { toolCalls = [] }) => sum + toolCalls.length, 0);
  if (messages.length <= maxMessages && calls <= maxMessages) return;
  throw new HearthError(
    'bad_request',
    `a conversation has at most ${maxMessages} messages and ${maxMessages} tool calls`,
  );
}

/** The model's own messages come first. A system message at the start of the conversation replaces the model's. */
export function withModelMessages(
  messages: readonly Message[],
  model: { readonly system: string; readonly messages: readonly Message[] },
): Message[] {
  const own = messages[0]?.role !== 'system' && model.system !== '' ? [{ role: 'system', content: model.system }] : [];
  return [...own, ...model.messages, ...messages];
}
