// Protects blobs that are needed although no manifest refers to them:
//
//   held       a running request or a loaded model uses it, until released
//   reserved   a client sent it, or was told that it exists, for a model that is not stored yet; until the model is
//              stored or the grace period ends
//
// Conversely, a lookup waits for a removal in progress. All calls run on one thread: nothing happens between a check
// here and the synchronous step that follows it.

import type { Digest } from '../../../base/digest.ts';
import type { Clock } from '../../../base/time/clock.ts';

interface BlobGuardOptions {
  readonly clock: Clock;
  /** Called with blobs that would have been removed if they had not been held. */
  readonly onReleased: (digests: readonly Digest[]) => void;
}

// Clients can ask for any digest, so this is bounded; the oldest reservations are dropped first.
const maxReservations = 10_000;

export function createBlobGuard({ clock, onReleased }: BlobGuardOptions) {
  const holds = new Map<Digest, number>();
  const unused = new Set<Digest>();
  const reserved = new Map<Digest, number>();
  const removals = new Map<Digest, Promise<void>>();

  const release = (digest: Digest): boolean => {
    const remaining = (holds.get(digest) ?? 1) - 1;
    if (remaining > 0) holds.set(digest, remaining);
    else holds.delete(digest);
    return remaining === 0 && unused.delete(digest);
  };

  return {
    /** Counted. The returned release function may be called more than once. */
    hold(digests: Iterable<Digest>): () => void {
      let held = [...digests];
      for (const digest of held) holds.set(digest, (holds.get(digest) ?? 0) + 1);
      return () => {
        const freed = held.filter(release);
        held = [];
        if (freed.length > 0) onReleased(freed);
      };
    },
    reserve(digest: Digest): void {
      reserved.delete(digest);
      reserved.set(digest, clock.now());
      const [oldest] = reserved.keys();
      if (reserved.size > maxReservations && oldest !== undefined) reserved.delete(oldest);
    },
    /** For blobs that a manifest refers to now. */
    clearReservations(digests: Iterable<Digest>): void {
      for (const digest of digests) reserved.delete(digest);
    },
    /** If the blob is held, `onReleased` is called with it later. */
    isProtected(digest: Digest, graceMs: number): boolean {
      if (holds.has(digest)) {
        unused.add(digest);
        return true;
      }
      const since = reserved.get(digest);
      if (since === undefined) return false;
      if (clock.now() - since < graceMs) return true;
      reserved.delete(digest);
      return false;
    },
    /** Runs a removal that `waitForRemoval` waits for. */
    async remove(digest: Digest, removal: () => Promise<void>): Promise<void> {
      const promise = removal();
      removals.set(
        digest,
        promise.catch(() => {}),
      );
      try {
        await promise;
      } finally {
        removals.delete(digest);
      }
    },
    waitForRemoval: (digest: Digest): Promise<void> => removals.get(digest) ?? Promise.resolve(),
  };
}

export type BlobGuard = ReturnType<typeof createBlobGuard>;
