// Finds the tokens that llama.cpp's top-k sampler would keep. It goes through all tokens in order and holds the k largest
// logits in a heap; a token that is not larger than the smallest of them is skipped and leaves no trace. So the sampler keeps
// the same tokens in the same order, also among equal ones, if it gets only the first k tokens and those that it would not
// skip: a few hundred of a vocabulary of 128,256.
//
// If the k largest logits are all different, and larger than the others, the order in which the sampler sees them does not
// matter, and it gets only these. They are found sooner: if k groups of tokens have a maximum that is not below some bound, the
// k largest logits are not below it either. A good bound has few more than k such groups.

import { createFindBound } from './find-bound.ts';
import { createSimdSearch } from './simd-search.ts';

/** The sampler has another algorithm for more. */
export const maxTopScan = 128;

// A smaller vocabulary, and fewer tokens, are not worth a pass for the maxima.
const minSize = 2 ** 12;
const minDistinct = 8;
// Mostly there are a few more than k.
const maxLarge = 2 * maxTopScan;
// A model with equal logits, such as one that has rows twice, has them almost always. After so many scans in a row, only one
// of a few looks for different ones.
const maxEqual = 8;
const retryInterval = 16;

export function createTopScan(vocabularySize: number) {
  const search = createSimdSearch(vocabularySize, { maxAbove: maxLarge, maxK: maxTopScan });
  const { numbers, copyWithMaxima, countMaxima, collected, collect, collectRunning } = search;
  const findBound = createFindBound(countMaxima);
  const large = new Float32Array(maxLarge);
  // Scans in a row that have found equal logits.
  let equal = 0;
  let scans = 0;

  /** Finds the tokens whose logits are not below the limit, and sorts their logits. Returns how many there are. */
  const findLarge = (limit: number): number => {
    const count = collect(limit);
    if (count > maxLarge) return count;
    for (let index = 0; index < count; index++) large[index] = numbers[collected[index] as number] as number;
    large.subarray(0, count).sort();
    return count;
  };

  /** The k likeliest tokens if all their logits are different; otherwise 0. */
  const runDistinct = (logits: Float32Array, k: number): number => {
    copyWithMaxima(logits);
    const limit = findBound({ least: k, most: k + Math.max(minDistinct, k >> 2) });
    const count = Number.isNaN(limit) ? 0 : findLarge(limit);
    if (count < k || count > maxLarge) return 0;
    const smallest = large[count - k] as number;
    for (let index = Math.max(1, count - k); index < count; index++) if (large[index] === large[index - 1]) return 0;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const token = collected[index] as number;
      if ((numbers[token] as number) >= smallest) collected[kept++] = token;
    }
    return kept;
  };

  const expectsDistinct = (k: number): boolean =>
    vocabularySize >= minSize && k >= minDistinct && (equal < maxEqual || scans % retryInterval === 0);

  return {
    /** The tokens, in ascending order. Valid until the next call. */
    tokens: collected,
    /** Finds the tokens that decide which `k` are kept, k from 1 to `maxTopScan`. Returns how many there are. */
    run(logits: Float32Array, k: number): number {
      scans++;
      const count = expectsDistinct(k) ? runDistinct(logits, k) : undefined;
      if (count === undefined) numbers.set(logits);
      else equal = count > 0 ? 0 : equal + 1;
      return count || collectRunning(k);
    },
  };
}
