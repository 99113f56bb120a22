// Turns image files into tokens of a prompt. Recent images are cached by content with their encoding, because a
// conversation sends its images again with every turn. They are encoded in another thread, while other requests continue.

import { createHash } from 'node:crypto';
import { type CountersOf, zeroCounters } from '../../protocol/counters.ts';
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

type Evaluator = Pick<ImageChunk, 'prepare' | 'evaluate'>;

/** Appends rows to a sequence. `full`: the KV cache has no room. */
type Decode = (rows: EmbeddingRows) => 'done' | 'full';

export function createImageEncoder(projector: Projector, decode: Decode, capacityBytes = defaultCapacity) {
  // From least to most recently used.
  const cache = new Map<string, Entry>();
  const counters = zeroCounters('images');
  let bytes = 0;
  let onEncoded = (): void => {};

  const freeIfUnused = (digest: string, entry: Entry): void => {
    if (entry.holders === 0 && cache.get(digest) !== entry) entry.decoded.free();
  };

  /** Returns the function that releases it. */
  const holdEntry = (digest: string, entry: Entry) => {
    entry.holders++;
    return (): void => {
      entry.holders--;
      freeIfUnused(digest, entry);
    };
  };

  const makeRoom = (): void => {
    for (const [digest, entry] of cache) {
      if (bytes <= capacityBytes) return;
      cache.delete(digest);
      bytes -= entry.bytes;
      freeIfUnused(digest, entry);
    }
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
    const hold = () => holdEntry(digest, entry);
    const image = toPromptImage(Buffer.from(digest, 'hex'), decoded, (chunk) =>
      createEvaluator(chunk, { hold, decode, counters, onEncoded: () => onEncoded() }),
    );
    const entry: Entry = { image, decoded, bytes: image.tokens.length * bytesPerToken, holders: 0 };
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
      const release = holdEntry(digest, entry);
      makeRoom();
      return { ...entry.image, release };
    },
    /** Calls the listener whenever an image has been encoded, or could not be. */
    watch(listener: () => void): void {
      onEncoded = listener;
    },
  };
}

export type ImageEncoder = ReturnType<typeof createImageEncoder>;

interface EvaluatorSources {
  /** Keeps the image until the returned function is called. */
  readonly hold: () => () => void;
  readonly decode: Decode;
  readonly counters: CountersOf<'images'>;
  readonly onEncoded: () => void;
}

function createEvaluator(chunk: ProjectedImage, { hold, decode, counters, onEncoded }: EvaluatorSources): Evaluator {
  const { count, isCausal } = chunk;
  let values: Float32Array | undefined;
  let failure: unknown;
  let isEncoding = false;
  let isNew = true;
  const encode = async (): Promise<void> => {
    isEncoding = true;
    const release = hold();
    try {
      values = await chunk.encode();
      counters.imagesEncoded++;
    } catch (error) {
      failure = error;
    }
    isEncoding = false;
    release();
    onEncoded();
  };
  return {
    prepare() {
      if (values !== undefined || failure !== undefined) return true;
      if (!isEncoding) void encode();
      return false;
    },
    evaluate({ sequence, position }) {
      if (values === undefined) {
        const error = failure;
        // The next request tries again.
        failure = undefined;
        throw error;
      }
      if (!isNew) counters.imagesCached++;
      isNew = false;
      return decode({ count, values, positions: chunk.positionsFrom(position), sequence, isCausal });
    },
  };
}

function toPromptImage(
  digest: Buffer,
  { parts }: DecodedImage,
  evaluatorOf: (chunk: ProjectedImage) => Evaluator,
): PromptImage {
  const tokens: number[] = [];
  const chunks: ImageChunk[] = [];
  for (const part of parts) {
    const offset = tokens.length;
    if ('count' in part) {
      for (let index = offset; index < offset + part.count; index++) tokens.push(imageToken(digest, index));
      chunks.push({ offset, count: part.count, positions: part.positions, ...evaluatorOf(part) });
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
