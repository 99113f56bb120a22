// Tells running requests that their key was revoked, or has another secret. New requests read the keys themselves; a
// long answer must not depend on whether there are any.

import type { Clock } from '../../../base/time/clock.ts';
import type { KeyStore } from './key-store.ts';

export interface KeyWatch {
  /** Calls `onRevoked` once. The result ends the watch. */
  add(id: string, onRevoked: () => void): () => void;
  /** Compares now, as after a change that this process has made. */
  check(): void;
}

interface Watched {
  readonly id: string;
  readonly hash: string | undefined;
  readonly onRevoked: () => void;
}

const intervalMs = 1000;

export function createKeyWatch(keys: Pick<KeyStore, 'find' | 'refresh'>, clock: Pick<Clock, 'after'>): KeyWatch {
  const watched = new Set<Watched>();
  let isScheduled = false;

  const isRevoked = ({ id, hash }: Watched): boolean => {
    const record = keys.find(id);
    return record === undefined || record.hash !== hash;
  };
  const check = (): void => {
    keys.refresh();
    for (const entry of [...watched].filter(isRevoked)) {
      watched.delete(entry);
      entry.onRevoked();
    }
  };
  const schedule = (): void => {
    if (isScheduled || watched.size === 0) return;
    isScheduled = true;
    clock.after(intervalMs, () => {
      isScheduled = false;
      check();
      schedule();
    });
  };

  return {
    add(id, onRevoked) {
      const entry: Watched = { id, hash: keys.find(id)?.hash, onRevoked };
      watched.add(entry);
      schedule();
      return () => void watched.delete(entry);
    },
    check,
  };
}
