// The messages of a request with their images decoded, and the messages that the model itself begins with.

import type { ConvertWebp } from '../../formats/image/webp-converter.ts';
import type { ConversationMessage, Message } from './conversation.ts';
import { checkImageCount, decodeImages } from './decode-images.ts';

export async function readMessages(
  messages: readonly ConversationMessage[],
  convertWebp: ConvertWebp,
): Promise<Message[]> {
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
