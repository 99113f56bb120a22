// The blobs that a create request needs until its model is complete.

import type { Digest } from '../../../base/digest.ts';
import type { Store } from '../../../models/store/store.ts';

export function createHeldBlobs(store: Store) {
  const releases: (() => void)[] = [];
  const results: Digest[] = [];
  const hold = (digest: Digest): void => void releases.push(store.holdBlobs([digest]));
  return {
    /** Protects a blob from removal. */
    hold,
    /** Holds a blob that the request made. If it is not part of a model in the end, it is removed. */
    holdResult(digest: Digest): void {
      hold(digest);
      results.push(digest);
    },
    async release(): Promise<void> {
      // Garbage collection removes what cannot be removed now.
      await store.discardBlobs(results).catch(() => {});
      for (const release of releases) release();
    },
  };
}

export type HeldBlobs = ReturnType<typeof createHeldBlobs>;
