// How a model sees: pictures come as files and become tokens of a prompt. The last ones are remembered by their content,
// with what the projector made of them, so that a picture that comes again with every turn of a conversation is read
// and encoded once.

import { createHash } from 'node:crypto';
import { type CountersOf, zeroCounters } from '../../protocol/counters.ts';
import type { DecodedImage, ProjectedImage, Projector } from '../llama/open-projector.ts';
import type { ImageChunk, PromptImage } from './image-positions.ts';

export interface ImageEncoder {
  /** How many tokens a picture takes, more or less. */
  readonly usualTokens: number;
  /** How many images went through the projector, and how many did not have to. */
  readonly counters: Readonly<CountersOf<'images'>>;
  encode(file: Uint8Array): HeldImage;
}

export interface HeldImage extends PromptImage {
  /** Whoever looked at it says when it is no longer needed; once. */
  release(): void;
}

interface Entry {
  readonly image: PromptImage;
  readonly read: DecodedImage;
  readonly bytes: number;
  holders: number;
}

/** Of memory, for pictures that nobody needs right now; more or less. */
const defaultCapacity = 128 * 2 ** 20;
// What a token of a picture takes in memory: pixels before, a vector after. Known only roughly.
const bytesPerToken = 20 * 1024;

export function createImageEncoder(projector: Projector, capacityBytes = defaultCapacity): ImageEncoder {
  // From least to most recently used.
  const known = new Map<string, Entry>();
  const counters = zeroCounters('images');
  let bytes = 0;

  const freeIfUnused = (digest: string, entry: Entry): void => {
    if (entry.holders === 0 && known.get(digest) !== entry) entry.read.free();
  };

  const makeRoom = (): void => {
    for (const [digest, entry] of known) {
      if (bytes <= capacityBytes) return;
      known.delete(digest);
      bytes -= entry.bytes;
      freeIfUnused(digest, entry);
    }
  };

  const recall = (digest: string): Entry | undefined => {
    const entry = known.get(digest);
    if (entry === undefined) return undefined;
    known.delete(digest);
    known.set(digest, entry);
    return entry;
  };

  const learn = (digest: string, file: Uint8Array): Entry => {
    const read = projector.read(file);
    const image = toPromptImage(Buffer.from(digest, 'hex'), read, counters);
    const entry = { image, read, bytes: image.tokens.length * bytesPerToken, holders: 0 };
    known.set(digest, entry);
    bytes += entry.bytes;
    return entry;
  };

  return {
    usualTokens: projector.usualTokens,
    counters,
    encode(file) {
      const digest = createHash('sha256').update(file).digest('hex');
      const entry = recall(digest) ?? learn(digest, file);
      entry.holders++;
      makeRoom();
      return {
        ...entry.image,
        release() {
          entry.holders--;
          freeIfUnused(digest, entry);
        },
      };
    },
  };
}

function toPromptImage(digest: Buffer, { parts }: DecodedImage, counters: CountersOf<'images'>): PromptImage {
  const tokens: number[] = [];
  const chunks: ImageChunk[] = [];
  for (const part of parts) {
    const offset = tokens.length;
    if ('count' in part) {
      for (let index = offset; index < offset + part.count; index++) tokens.push(imageToken(digest, index));
      chunks.push({ offset, count: part.count, positions: part.positions, evaluate: evaluatorOf(part, counters) });
    } else tokens.push(...part);
  }
  return { tokens, chunks };
}

function evaluatorOf(chunk: ProjectedImage, counters: CountersOf<'images'>): ImageChunk['evaluate'] {
  let encoded: Float32Array | undefined;
  return (location) => {
    if (encoded === undefined) counters.imagesEncoded++;
    else counters.imagesCached++;
    encoded ??= chunk.encode();
    return chunk.decode(encoded, location);
  };
}

/** Below zero, and another one for every picture and every place in it: eight in a row hold the whole digest. */
export function imageToken(digest: Buffer, index: number): number {
  const words = digest.length / Int32Array.BYTES_PER_ELEMENT;
  const word = digest.readUInt32LE((index % words) * Int32Array.BYTES_PER_ELEMENT);
  // The index is mixed in by the golden ratio, as in many hashes.
  return -1 - ((word ^ Math.imul(index, 0x9e37_79b1)) >>> 1);
}
