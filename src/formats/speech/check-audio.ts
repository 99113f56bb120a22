// Looks at the first bytes of an audio file. The decoder is native code, so it gets only kinds of files that it knows, with
// numbers that occur.

import { HearthError } from '../../base/errors.ts';

type AudioKind = 'wav' | 'flac' | 'ogg' | 'mp3';

const limits = { channels: 8, leastRate: 4000, mostRate: 192_000 } as const;
const wavChunkLimit = 64;

/** Throws `bad_request` for files that are not audio, that cannot be decoded, or that say that they are longer. */
export function checkAudio(bytes: Buffer, maxSeconds: number): AudioKind {
  const kind = kindOf(bytes);
  if (kind === undefined)
    throw unusable('it is neither WAV, MP3, FLAC nor Ogg Vorbis; convert it, for example with ffmpeg');
  if (kind === 'wav') checkWav(bytes);
  if (kind === 'flac') checkFlac(bytes, maxSeconds);
  return kind;
}

/** Whether its first bytes are those of a kind that can be decoded. */
export function isAudio(bytes: Buffer): boolean {
  return kindOf(bytes) !== undefined;
}

function kindOf(bytes: Buffer): AudioKind | undefined {
  const text = (start: number, end: number): string => bytes.toString('latin1', start, end);
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return 'wav';
  if (text(0, 4) === 'fLaC') return 'flac';
  if (text(0, 4) === 'OggS') return text(28, 35) === '\u0001vorbis' ? 'ogg' : undefined;
  const [first = 0, second = 0] = bytes;
  // MPEG audio of layer 3, or a tag before it.
  return text(0, 3) === 'ID3' || (first === 0xff && (second & 0xe6) === 0xe2) ? 'mp3' : undefined;
}

function checkWav(bytes: Buffer): void {
  let position = 12;
  for (let count = 0; count < wavChunkLimit && position + 8 <= bytes.length; count++) {
    const name = bytes.toString('latin1', position, position + 4);
    const size = bytes.readUInt32LE(position + 4);
    if (name === 'fmt ' && size >= 16 && position + 24 <= bytes.length) {
      checkNumbers(bytes.readUInt16LE(position + 10), bytes.readUInt32LE(position + 12));
      return;
    }
    position += 8 + size + (size % 2);
  }
  throw unusable('it has no description of its samples');
}

/** The description of the stream is always the first block. */
function checkFlac(bytes: Buffer, maxSeconds: number): void {
  if (bytes.length < 42 || ((bytes[4] as number) & 0x7f) !== 0) throw unusable('it has no description of its samples');
  const packed = bytes.readUInt32BE(18);
  const rate = packed >>> 12;
  checkNumbers(((packed >>> 9) & 7) + 1, rate);
  // 36 bits. Zero: the length is not known.
  const samples = (packed & 0xf) * 2 ** 32 + bytes.readUInt32BE(22);
  if (samples > maxSeconds * rate) throw audioTooLong(maxSeconds);
}

function checkNumbers(channels: number, rate: number): void {
  if (channels < 1 || channels > limits.channels) throw unusable(`it has ${channels} channels`);
  if (rate < limits.leastRate || rate > limits.mostRate) throw unusable(`it has ${rate} samples per second`);
}

export function audioTooLong(maxSeconds: number): HearthError {
  const limit = maxSeconds < 120 ? `${maxSeconds} seconds` : `${Math.round(maxSeconds / 60)} minutes`;
  return new HearthError('bad_request', `the audio is longer than ${limit}`);
}

function unusable(reason: string): HearthError {
  return new HearthError('bad_request', `the audio file cannot be used: ${reason}`);
}
