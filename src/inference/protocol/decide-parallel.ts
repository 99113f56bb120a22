// How many requests a runner evaluates in parallel. The server needs it too, for the memory estimate.

const preferred = 8;
const usual = 4;
const maxParallel = 64;
/** Bytes of KV cache that are always acceptable. */
const smallCache = 2 ** 30;

/** `requested` 0: automatic. 8 if their KV cache is small, otherwise 4, or fewer if the budget does not allow 4. */
export function decideParallel(requested: number, bytesPerSequence: number, budget = 0): number {
  if (requested > 0) return Math.min(requested, maxParallel);
  if (preferred * bytesPerSequence <= smallCache) return preferred;
  let parallel = usual;
  while (parallel > 1 && parallel * bytesPerSequence > Math.max(budget, smallCache)) parallel /= 2;
  return parallel;
}
