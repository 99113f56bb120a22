// A batch for llama_decode over arrays in JavaScript: adding a row takes five stores and no native call.

import koffi from 'koffi';
import type { TokenBatchStruct } from './bindings/structs.ts';

export interface BatchRow {
  readonly token: number;
  readonly position: number;
  readonly sequence: number;
  readonly logits: boolean;
}

/** `width`: of the vector that belongs to each token. Absent: none. */
export function createBatch(capacity: number, { width = 0 }: { readonly width?: number } = {}) {
  const sequences = new Int32Array(capacity);
  // seq_id is an array of pointers to arrays. Each of them has one entry and never moves.
  const base = koffi.address(sequences);
  const pointers = BigUint64Array.from(
    { length: capacity },
    (_, row) => base + BigInt(row * Int32Array.BYTES_PER_ELEMENT),
  );
  const struct: TokenBatchStruct = {
    n_tokens: 0,
    token: new Int32Array(capacity),
    embd: width === 0 ? null : new Float32Array(capacity * width),
    pos: new Int32Array(capacity),
    n_seq_id: new Int32Array(capacity).fill(1),
    seq_id: pointers,
    logits: new Int8Array(capacity),
  };
  return {
    capacity,
    struct,
    clear(): void {
      struct.n_tokens = 0;
    },
    /** Adds a row and returns its index. Only a row with `logits` can be sampled. */
    add({ token, position, sequence, logits }: BatchRow): number {
      const row = struct.n_tokens;
      // llama.cpp ends the process if a batch exceeds n_batch.
      if (row >= capacity) throw new RangeError(`a batch holds ${capacity} tokens`);
      struct.token[row] = token;
      struct.pos[row] = position;
      sequences[row] = sequence;
      struct.logits[row] = logits ? 1 : 0;
      struct.n_tokens = row + 1;
      return row;
    },
    /** The first position of each sequence. */
    firstPositions(): ReadonlyMap<number, number> {
      const first = new Map<number, number>();
      for (let row = 0; row < struct.n_tokens; row++) {
        const sequence = sequences[row] as number;
        first.set(sequence, Math.min(first.get(sequence) ?? Number.POSITIVE_INFINITY, struct.pos[row] as number));
      }
      return first;
    },
  };
}

export type Batch = ReturnType<typeof createBatch>;
