// Finds the tokens that llama.cpp's top-k sampler would consider. The sampler goes through all tokens in order and holds
// the k largest logits in a heap; a token that is not larger than the smallest of them is skipped and leaves no trace. So
// the sampler keeps the same tokens in the same order, also among equal ones, if it gets only the first k tokens and
// those that it would not skip: a few hundred of a vocabulary of 128,256.

import { blockLength, createSimdSearch } from './simd-search.ts';

/** The sampler has another algorithm for more. */
export const maxTopScan = 128;

export interface TopScan {
  /** The tokens, in ascending order. Valid until the next call. */
  readonly tokens: Int32Array;
  /** Finds the tokens that may be among the `k` likeliest, k from 1 to `maxTopScan`. Returns how many there are. */
  run(logits: Float32Array, k: number): number;
}

export function createTopScan(vocabularySize: number): TopScan {
  const { numbers, find } = createSimdSearch(vocabularySize);
  const tokens = new Int32Array(vocabularySize);
  const heap = new Float32Array(maxTopScan);

  return {
    tokens,
    run(logits, k) {
      const first = Math.min(k, vocabularySize);
      numbers.set(logits);
      heap.set(numbers.subarray(0, first));
      // Ascending order is a heap.
      heap.subarray(0, first).sort();
      for (let token = 0; token < first; token++) tokens[token] = token;
      let count = first;
      let token = first;
      // The search starts at the beginning of a block.
      let end = Math.ceil(first / blockLength) * blockLength;
      while (token < vocabularySize) {
        for (; token < end; token++) {
          const logit = numbers[token] as number;
          if (!(logit > (heap[0] as number))) continue;
          tokens[count++] = token;
          replaceSmallest(heap, first, logit);
        }
        token = find(token, heap[0] as number);
        end = Math.min(token + blockLength, numbers.length);
      }
      return count;
    },
  };
}

/** Replaces the root of a heap of `size` numbers, the smallest one in it. */
function replaceSmallest(heap: Float32Array, size: number, value: number): void {
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child++;
    const smaller = heap[child] as number;
    if (smaller >= value) break;
    heap[place] = smaller;
    place = child;
  }
  heap[place] = value;
}
