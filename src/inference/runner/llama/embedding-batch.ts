// Batches for llama_decode of rows that are embeddings instead of tokens: those of an image.

import koffi from 'koffi';
import type { EmbeddingBatchStruct } from './bindings/structs.ts';

export interface EmbeddingRows {
  readonly count: number;
  /** One after another. */
  readonly values: Float32Array;
  /** The positions of all rows. In models that have several positions for a row, the second ones of all rows follow, and so on. */
  readonly positions: Int32Array;
  readonly sequence: number;
  /** False: each row attends to all others, so that they must be in one batch. */
  readonly isCausal: boolean;
}

/** The rows in batches of at most this many. */
export function* splitRows(rows: EmbeddingRows, maxRows: number): Generator<EmbeddingBatchStruct> {
  for (let start = 0; start < rows.count; start += maxRows)
    yield toBatch(rows, start, Math.min(rows.count, start + maxRows));
}

function toBatch({ count, values, positions, sequence }: EmbeddingRows, start: number, end: number) {
  const width = values.length / count;
  const size = end - start;
  return {
    n_tokens: size,
    token: null,
    embd: values.subarray(start * width, end * width),
    pos: partOfEach(positions, count, start, end),
    n_seq_id: new Int32Array(size).fill(1),
    seq_id: pointersTo(sequence, size),
    // The token after an image is the first one with logits.
    logits: new Int8Array(size),
  };
}

/** The same part of each group of `length` numbers. */
function partOfEach(numbers: Int32Array, length: number, start: number, end: number): Int32Array {
  const parts = new Int32Array((numbers.length / length) * (end - start));
  for (let group = 0; group * length < numbers.length; group++)
    parts.set(numbers.subarray(group * length + start, group * length + end), group * (end - start));
  return parts;
}

/** Pointers to the same number, which follows them in memory, so that it exists as long as they do. */
function pointersTo(sequence: number, count: number): BigUint64Array {
  const pointers = new BigUint64Array(count + 1);
  const offset = count * BigUint64Array.BYTES_PER_ELEMENT;
  new Int32Array(pointers.buffer, offset, 1)[0] = sequence;
  return pointers.fill(koffi.address(pointers) + BigInt(offset), 0, count);
}
