// Decodes the images and recordings of a request: base64, with or without the prefix of a data URL. Only files of a known format
// and size reach the engine. It does not read WebP, so these are converted. Recordings are decoded to one kind of WAV in a process
// of their own: a small file can stand for days of silence.

import { setImmediate } from 'node:timers/promises';
import { HearthError } from '../../base/errors.ts';
import { checkImage } from '../../formats/image/check-image.ts';
import { imageLimits } from '../../formats/image/limits.ts';
import type { ConvertWebp } from '../../formats/image/webp-converter.ts';
import { checkAudio, isAudio } from '../../formats/speech/check-audio.ts';

export interface MediaDecoders {
  readonly convertWebp: ConvertWebp;
  /** Resolves with WAV: mono, 16,000 samples per second, 16 bits. Rejects with `bad_request` if there is more of it. */
  readonly decodeAudio: (file: Buffer, maxSeconds: number) => Promise<Buffer>;
}

/** All recordings of a request together. Models hear half a minute at a time, and need hundreds of tokens for it. */
const maxSeconds = 600;
const bytesPerSecond = 32_000;

/** What the recordings of a request may still have, with room for their headers. */
interface AudioBudget {
  bytes: number;
}

export const newAudioBudget = (): AudioBudget => ({ bytes: maxSeconds * bytesPerSecond + 2 ** 16 });

const dataUrl = /^data:[^,]{0,100};base64,/;
const maxPrefixLength = 120;
// Four characters are three bytes. A tenth more covers line breaks and the prefix.
const maxEncodedLength = Math.ceil((imageLimits.bytes / 3) * 4 * 1.1);

/** `count`: the images and recordings of all messages of a request. */
export function checkMediaCount(count: number): void {
  const { perRequest } = imageLimits;
  if (count > perRequest)
    throw new HearthError('bad_request', `the request has ${count} images or recordings; the maximum is ${perRequest}`);
}

export async function decodeMedia(
  encoded: readonly string[],
  decoders: MediaDecoders,
  budget: AudioBudget = newAudioBudget(),
): Promise<Buffer[]> {
  const files: Buffer[] = [];
  for (const [index, text] of encoded.entries()) {
    // Decoding blocks for milliseconds. Other requests continue between two files.
    await setImmediate();
    const file = decodeFile(text);
    const isRecording = isAudio(file);
    try {
      files.push(isRecording ? await readAudio(file, decoders, budget) : await readImage(file, decoders));
    } catch (error) {
      const what = isRecording ? 'recording' : 'image';
      if (error instanceof HearthError) throw new HearthError(error.code, `${what} ${index + 1}: ${error.message}`);
      throw error;
    }
  }
  return files;
}

async function readImage(file: Buffer, { convertWebp }: MediaDecoders): Promise<Buffer> {
  const { format } = await checkImage(file);
  return format === 'webp' ? convertWebp(file) : file;
}

async function readAudio(file: Buffer, { decodeAudio }: MediaDecoders, budget: AudioBudget): Promise<Buffer> {
  checkAudio(file, maxSeconds);
  const samples = await decodeAudio(file, maxSeconds);
  budget.bytes -= samples.length;
  if (budget.bytes < 0)
    throw new HearthError(
      'bad_request',
      `the recordings of a request have at most ${maxSeconds / 60} minutes together`,
    );
  return samples;
}

// As many characters as the start of a file has that says what it is.
const startLength = 64;

/** Throws `bad_request` if it is no audio. */
export function checkEncodedAudio(text: string): string {
  if (isEncodedAudio(text)) return text;
  const reason = 'invalid audio input: it is neither WAV, MP3, FLAC nor Ogg Vorbis in base64';
  throw new HearthError('bad_request', reason);
}

/** Looks at the first bytes only. */
export function isEncodedAudio(text: string): boolean {
  const start = text.slice(0, maxPrefixLength + startLength).replace(dataUrl, '');
  return isAudio(Buffer.from(start.slice(0, startLength), 'base64'));
}

function decodeFile(text: string): Buffer {
  if (text.length > maxEncodedLength)
    throw new HearthError(
      'bad_request',
      `an image or a recording is too large (at most ${imageLimits.bytes / 2 ** 20} MiB)`,
    );
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
