// Turns image files into tokens of a prompt. Recent images are cached by content with their encoding, because a
// conversation sends its images again with every turn.

import { createHash } from 'node:crypto';
import { zeroCounters } from '../../protocol/counters.ts';
import type { EmbeddingRows } from '../llama/embedding-batch.ts';
import type { DecodedImage, ProjectedImage, Projector } from '../llama/open-projector.ts';
import type { ImageChunk, PromptImage } from './image-positions.ts';

export interface HeldImage extends PromptImage {
  /** Called once, when the image is no longer needed. */
  release(): void;
}

interface Entry {
  readonly image: PromptImage;
  readonly decoded: DecodedImage;
  readonly bytes: number;
  holders: number;
}

// Approximate memory for images that no request needs.
const defaultCapacity = 128 * 2 ** 20;
// An estimate of the memory per token of an image: pixels, then an embedding.
const bytesPerToken = 20 * 1024;

/** Appends rows to a sequence. `full`: the KV cache has no room. */
type Decode = (rows: EmbeddingRows) => 'done' | 'full';

export function createImageEncoder(projector: Projector, decode: Decode, capacityBytes = defaultCapacity) {
  // From least to most recently used.
  const cache = new Map<string, Entry>();
  const counters = zeroCounters('images');
  let bytes = 0;

  const freeIfUnused = (digest: string, entry: Entry): void => {
    if (entry.holders === 0 && cache.get(digest) !== entry) entry.decoded.free();
  };

  const makeRoom = (): void => {
    for (const [digest, entry] of cache) {
      if (bytes <= capacityBytes) return;
      cache.delete(digest);
      bytes -= entry.bytes;
      freeIfUnused(digest, entry);
    }
  };

  const evaluatorOf = (chunk: ProjectedImage): ImageChunk['evaluate'] => {
    const { count, isCausal } = chunk;
    let values: Float32Array | undefined;
    return ({ sequence, position }) => {
      if (values === undefined) counters.imagesEncoded++;
      else counters.imagesCached++;
      values ??= chunk.encode();
      return decode({ count, values, positions: chunk.positionsFrom(position), sequence, isCausal });
    };
  };

  const findCached = (digest: string): Entry | undefined => {
    const entry = cache.get(digest);
    if (entry === undefined) return undefined;
    cache.delete(digest);
    cache.set(digest, entry);
    return entry;
  };

  const read = (digest: string, file: Uint8Array): Entry => {
    const decoded = projector.read(file);
    const image = toPromptImage(Buffer.from(digest, 'hex'), decoded, evaluatorOf);
    const entry = { image, decoded, bytes: image.tokens.length * bytesPerToken, holders: 0 };
    cache.set(digest, entry);
    bytes += entry.bytes;
    return entry;
  };

  return {
    /** Tokens of a typical image. */
    typicalTokens: projector.typicalTokens,
    counters,
    encode(file: Uint8Array): HeldImage {
      const digest = createHash('sha256').update(file).digest('hex');
      const entry = findCached(digest) ?? read(digest, file);
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

export type ImageEncoder = ReturnType<typeof createImageEncoder>;

function toPromptImage(
  digest: Buffer,
  { parts }: DecodedImage,
  evaluatorOf: (chunk: ProjectedImage) => ImageChunk['evaluate'],
): PromptImage {
  const tokens: number[] = [];
  const chunks: ImageChunk[] = [];
  for (const part of parts) {
    const offset = tokens.length;
    if ('count' in part) {
      for (let index = offset; index < offset + part.count; index++) tokens.push(imageToken(digest, index));
      chunks.push({ offset, count: part.count, positions: part.positions, evaluate: evaluatorOf(part) });
    } else tokens.push(...part);
  }
  return { tokens, chunks };
}

/** A negative number that depends on the image and the index. Eight in a row contain the entire digest. */
export function imageToken(digest: Buffer, index: number): number {
  const words = digest.length / Int32Array.BYTES_PER_ELEMENT;
  const word = digest.readUInt32LE((index % words) * Int32Array.BYTES_PER_ELEMENT);
  // The index is mixed in with the golden ratio, as in many hash functions.
  return -1 - ((word ^ Math.imul(index, 0x9e37_79b1)) >>> 1);
}
