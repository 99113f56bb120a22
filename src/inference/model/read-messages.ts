// The messages of a request with their images decoded, and the messages that the model itself begins with.

import { HearthError } from '../../base/errors.ts';
import type { ConvertWebp } from '../../formats/image/webp-converter.ts';
import type { ConversationMessage, Message } from './conversation.ts';
import { checkImageCount, decodeImages } from './decode-images.ts';

export async function readMessages(
  messages: readonly ConversationMessage[],
  convertWebp: ConvertWebp,
): Promise<Message[]> {
  checkLength(messages);
  checkImageCount(messages.reduce((sum, { encodedImages }) => sum + encodedImages.length, 0));
  const read: Message[] = [];
  for (const { encodedImages, ...message } of messages) {
    const images = await decodeImages(encodedImages, convertWebp);
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
