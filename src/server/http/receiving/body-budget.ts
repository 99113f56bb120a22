// Limits the memory for the bodies of all running requests together, and the part of it that one caller can use. Bytes
// count when they arrive: a client that only announces a large body reserves nothing.

import { HearthError } from '../../../base/errors.ts';

export interface BodyBudget {
  /** The most that one caller can use. */
  readonly maxBytesPerCaller: number;
  /** The part of one request. */
  open(caller: string): BodyShare;
}

export interface BodyShare {
  /** Throws if the budget or the caller's part of it is exhausted. */
  take(bytes: number): void;
  release(): void;
}

// The rest is left for other callers.
const callerShare = 0.75;
const retryAfterSeconds = 2;

export function createBodyBudget(maxBytes: number): BodyBudget {
  const maxBytesPerCaller = Math.floor(maxBytes * callerShare);
  // Bytes of each caller that has any.
  const usedBy = new Map<string, number>();
  let used = 0;

  const add = (caller: string, bytes: number): void => {
    used += bytes;
    const total = (usedBy.get(caller) ?? 0) + bytes;
    if (total > 0) usedBy.set(caller, total);
    else usedBy.delete(caller);
  };

  return {
    maxBytesPerCaller,
    open(caller) {
      let taken = 0;
      let open = true;
      return {
        take(bytes) {
          if (!open) return;
          if (used + bytes > maxBytes) throw exhausted('running requests', maxBytes);
          if ((usedBy.get(caller) ?? 0) + bytes > maxBytesPerCaller)
            throw exhausted('your running requests', maxBytesPerCaller);
          taken += bytes;
          add(caller, bytes);
        },
        release() {
          if (!open) return;
          open = false;
          add(caller, -taken);
        },
      };
    },
  };
}

/** The size of a budget in which one caller can send a body of this size. */
export function budgetForBody(bytes: number): number {
  return Math.ceil(bytes / callerShare);
}

function exhausted(which: string, maxBytes: number): HearthError & { readonly retryAfterSeconds: number } {
  const message = `server busy: the bodies of ${which} have reached ${toMebibytes(maxBytes)} MiB, please try again`;
  return Object.assign(new HearthError('busy', message), { retryAfterSeconds });
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
