// The prefix caches of the models have the memory that the models leave. They shrink when another model is loaded, and may
// grow again when one has left.

import type { ModelState } from './residency-state.ts';

// Smaller changes are not worth a message.
const stepBytes = 16 * 2 ** 20;

/** The most bytes of each prefix cache, if `wantedBytes` is the most that any may have. */
export function limitPrefixes(
  models: readonly Pick<ModelState, 'bytes' | 'loaded' | 'stopping'>[],
  memoryBudget: number,
  wantedBytes: number,
): number {
  const left = models.reduce((sum, { bytes }) => sum - bytes, memoryBudget);
  const caches = models.filter(({ loaded, stopping }) => loaded && !stopping).length;
  const share = Math.floor(Math.max(left, 0) / Math.max(caches, 1) / stepBytes) * stepBytes;
  return Math.min(wantedBytes, share);
}
