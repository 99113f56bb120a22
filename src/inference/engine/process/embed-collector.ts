// Collects the vectors of one embed request. A runner sends them in parts and in any order, each once, all of the same
// length.

import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Embeddings } from '../../model/vectors.ts';
import type { EmbeddedEvent, EmbeddedText, FailedEvent } from '../../protocol/messages.ts';

/** `onFirst` is called at the first vectors. */
export function createEmbedCollector(count: number, onFirst: () => void = () => {}) {
  const result = createDeferred<Embeddings>();
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  const tokens = new Array<number>(count).fill(0);
  let missing = count;
  let failed = false;
  let width: number | undefined;

  const take = ({ index, tokens: evaluated, vector }: EmbeddedText): boolean => {
    if (index >= count || vectors[index] !== undefined) return false;
    const floats = decodeFloats(vector);
    width ??= floats.length;
    vectors[index] = floats;
    tokens[index] = evaluated;
    missing--;
    return floats.length === width;
  };
  const settle = (): void => {
    if (missing === 0) result.resolve({ vectors: vectors as Float32Array[], tokens });
  };
  settle();

  return {
    /** Whether the runner has sent its last event for this request. */
    get complete(): boolean {
      return failed || missing === 0;
    },
    embeddings: result.promise,
    /** False if the event is not allowed now: the runner violates the protocol. */
    accept(event: EmbeddedEvent | FailedEvent): boolean {
      if (failed || missing === 0) return false;
      if (event.type === 'failed') {
        failed = true;
        result.reject(new HearthError(event.code, event.message));
        return true;
      }
      if (missing === count) onFirst();
      const valid = event.vectors.every(take);
      if (valid) settle();
      return valid;
    },
    /** Rejects `embeddings`. */
    abort: (error: HearthError): void => result.reject(error),
  };
}

export type EmbedCollector = ReturnType<typeof createEmbedCollector>;

function decodeFloats(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const length = bytes.length / Float32Array.BYTES_PER_ELEMENT;
  return Float32Array.from({ length }, (_, index) => bytes.readFloatLE(index * Float32Array.BYTES_PER_ELEMENT));
}
