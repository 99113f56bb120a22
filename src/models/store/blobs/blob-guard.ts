// Keeps blobs from being removed under somebody's hands. Two reasons to spare one that no manifest refers to:
//
//   held       running work or a loaded model needs it; ends with the release
//   announced  somebody sent it, or was told that it is there, for a model that has not come yet; ends with that model,
//              or after a while
//
// and the other way round, whoever looks for a blob waits for a removal that is under way. All of this lives in one
// thread: between a question here and the step that follows it, nothing else happens.

import type { Digest } from '../../../base/digest.ts';
import type { Clock } from '../../../base/time/clock.ts';

export interface BlobGuard {
  /** Counts; the release may be called more than once. */
  hold(digests: Iterable<Digest>): () => void;
  announce(digest: Digest): void;
  /** A manifest refers to them now, so that they need no announcement any more. */
  fulfil(digests: Iterable<Digest>): void;
  /** Whether it has to stay; when it is held, `onReleased` will be told of it. */
  spares(digest: Digest, graceMs: number): boolean;
  /** Runs `removal` so that `untilSettled` waits for it. */
  remove(digest: Digest, removal: () => Promise<void>): Promise<void>;
  untilSettled(digest: Digest): Promise<void>;
}

export interface BlobGuardOptions {
  readonly clock: Clock;
  /** Blobs that would have been removed, had they not been held. */
  readonly onReleased: (digests: readonly Digest[]) => void;
}

// Anybody may ask for any digest; the oldest go first.
const maxAnnouncements = 10_000;

export function createBlobGuard({ clock, onReleased }: BlobGuardOptions): BlobGuard {
  const holds = new Map<Digest, number>();
  const unwanted = new Set<Digest>();
  const announced = new Map<Digest, number>();
  const removals = new Map<Digest, Promise<void>>();

  const release = (digest: Digest): boolean => {
    const left = (holds.get(digest) ?? 1) - 1;
    if (left > 0) holds.set(digest, left);
    else holds.delete(digest);
    return left === 0 && unwanted.delete(digest);
  };

  return {
    hold(digests) {
      let held = [...digests];
      for (const digest of held) holds.set(digest, (holds.get(digest) ?? 0) + 1);
      return () => {
        const freed = held.filter(release);
        held = [];
        if (freed.length > 0) onReleased(freed);
      };
    },
    announce(digest) {
      announced.delete(digest);
      announced.set(digest, clock.now());
      const [oldest] = announced.keys();
      if (announced.size > maxAnnouncements && oldest !== undefined) announced.delete(oldest);
    },
    fulfil(digests) {
      for (const digest of digests) announced.delete(digest);
    },
    spares(digest, graceMs) {
      if (holds.has(digest)) {
        unwanted.add(digest);
        return true;
      }
      const since = announced.get(digest);
      if (since === undefined) return false;
      if (clock.now() - since < graceMs) return true;
      announced.delete(digest);
      return false;
    },
    async remove(digest, removal) {
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
    untilSettled: (digest) => removals.get(digest) ?? Promise.resolve(),
  };
}
