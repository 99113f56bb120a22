// Tells running requests that their key was revoked, or has another secret. New requests read the keys themselves; a
// long answer must not depend on whether there are any.

import type { Clock } from '../../../base/time/clock.ts';
import type { KeyStore } from './key-store.ts';

interface Watched {
  readonly id: string;
  readonly hash: string | undefined;
  readonly onRevoked: () => void;
}

const intervalMs = 1000;

export class KeyWatch {
  readonly #keys: Pick<KeyStore, 'find' | 'refresh'>;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #watched = new Set<Watched>();
  #isScheduled = false;

  constructor(keys: Pick<KeyStore, 'find' | 'refresh'>, clock: Pick<Clock, 'after'>) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Calls `onRevoked` once. The result ends the watch. */
  add(id: string, onRevoked: () => void): () => void {
    const entry: Watched = { id, hash: this.#keys.find(id)?.hash, onRevoked };
    this.#watched.add(entry);
    this.#schedule();
    return () => void this.#watched.delete(entry);
  }

  /** Compares now, as after a change that this process has made. */
  check(): void {
    this.#keys.refresh();
    const isRevoked = ({ id, hash }: Watched): boolean => {
      const record = this.#keys.find(id);
      return record === undefined || record.hash !== hash;
    };
    for (const entry of [...this.#watched].filter(isRevoked)) {
      this.#watched.delete(entry);
      entry.onRevoked();
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#watched.size === 0) return;
    this.#isScheduled = true;
    this.#clock.after(intervalMs, () => {
      this.#isScheduled = false;
      this.check();
      this.#schedule();
    });
  }
}
