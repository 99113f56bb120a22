// The messages of a request with their images decoded, and the messages that the model itself begins with.

import { setImmediate } from 'node:timers/promises';
import { HearthError } from '../../base/errors.ts';
import { checkImage } from '../../formats/image/check-image.ts';
import { imageLimits } from '../../formats/image/limits.ts';
import type { ConvertWebp } from '../../formats/image/webp-converter.ts';
import type { ConversationMessage, Message } from './conversation.ts';

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

// Decodes the images of a request: base64, with or without the prefix of a data URL. Only files of a known format and
// size reach the engine; it does not read WebP, so these are converted.
const dataUrl = /^data:[^,]{0,100};base64,/;
// Four characters are three bytes. A tenth more covers line breaks and the prefix.
const maxEncodedLength = Math.ceil((imageLimits.bytes / 3) * 4 * 1.1);

/** `count`: the images of all messages of a request. */
export function checkImageCount(count: number): void {
  const { perRequest } = imageLimits;
  if (count > perRequest)
    throw new HearthError('bad_request', `the request has ${count} images; the maximum is ${perRequest}`);
}

export async function decodeImages(encoded: readonly string[], convertWebp: ConvertWebp): Promise<Buffer[]> {
  const images: Buffer[] = [];
  for (const [index, text] of encoded.entries()) {
    // Decoding blocks for milliseconds. Other requests continue between two images.
    await setImmediate();
    const image = decodeImage(text);
    try {
      const { format } = await checkImage(image);
      images.push(format === 'webp' ? await convertWebp(image) : image);
    } catch (error) {
      if (error instanceof HearthError) throw new HearthError(error.code, `image ${index + 1}: ${error.message}`);
      throw error;
    }
  }
  return images;
}

function decodeImage(text: string): Buffer {
  if (text.length > maxEncodedLength)
    throw new HearthError('bad_request', `an image is too large (at most ${imageLimits.bytes / 2 ** 20} MiB)`);
  const encoded = withoutLineBreaks(text.replace(dataUrl, ''));
  const illegal = findIllegal(encoded);
  if (illegal === -1) return Buffer.from(encoded, 'base64');
  throw new HearthError('bad_request', `illegal base64 data at input byte ${illegal}`);
}

// Not one regular expression: a repeated group recurses for every repetition and overflows the stack.
function findIllegal(encoded: string): number {
  const end = encoded.search(/[^A-Za-z0-9+/]/);
  const isComplete = encoded.length % 4 === 0;
  if (end === -1) return isComplete ? -1 : encoded.length;
  const isPadding = encoded.length - end <= 2 && /^==?$/.test(encoded.slice(end));
  return isComplete && isPadding ? -1 : end;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** `replace` is slow for a text that consists of line breaks. */
function withoutLineBreaks(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (const byte of bytes) if (byte !== lineFeed && byte !== carriageReturn) bytes[length++] = byte;
  return bytes.toString('utf8', 0, length);
}
