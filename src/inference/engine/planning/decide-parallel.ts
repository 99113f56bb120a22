// How many requests a runner evaluates in parallel.

const preferredParallel = 8;
export const usualParallel = 4;
/** A pass of 32 rows takes a GPU as long as one of 8. */
export const usualGpuParallel = 32;
/** The most sequences that llama.cpp allows. An H200 computes more tokens per second with 256 rows than with any fewer. */
const maxParallel = 256;
/** Bytes of KV cache that are always acceptable. */
export const smallCache = 2 ** 30;

interface CacheRoom {
  readonly bytesPerSequence: number;
  /** Bytes for all sequences. */
  readonly room: number;
  /** Whether the contexts are on GPUs. */
  readonly onGpu: boolean;
}

/**
 * `requested` 0: automatic. On a GPU 256, or fewer if they do not fit: slots that nobody uses keep prefixes. On a CPU 8 if their KV cache is small, otherwise 4,
 * or fewer if 4 do not fit.
 */
export function decideParallel(requested: number, { bytesPerSequence, room, onGpu }: CacheRoom): number {
  if (requested > 0) return Math.min(requested, maxParallel);
  if (!onGpu && preferredParallel * bytesPerSequence <= Math.min(smallCache, room)) return preferredParallel;
  if (onGpu) return Math.max(1, Math.min(maxParallel, Math.floor(room / bytesPerSequence)));
  let parallel = usualParallel;
  while (parallel > 1 && parallel * bytesPerSequence > room) parallel /= 2;
  return parallel;
}
