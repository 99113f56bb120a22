// How many requests a runner evaluates in parallel.

const preferredParallel = 8;
export const usualParallel = 4;
const maxParallel = 64;
/** Bytes of KV cache that are always acceptable. */
export const smallCache = 2 ** 30;

/** `requested` 0: automatic. 8 if their KV cache is small, otherwise 4, or fewer if 4 do not fit into `room` bytes. */
export function decideParallel(requested: number, bytesPerSequence: number, room: number): number {
  if (requested > 0) return Math.min(requested, maxParallel);
  if (preferredParallel * bytesPerSequence <= Math.min(smallCache, room)) return preferredParallel;
  let parallel = usualParallel;
  while (parallel > 1 && parallel * bytesPerSequence > room) parallel /= 2;
  return parallel;
}
