// Limits the memory for the bodies of all running requests together, and the part of it that one caller can use: three
// quarters of what others leave, so that there is always a part for the next one. Bytes count when they arrive: a client
// that only announces a large body reserves nothing.

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

const callerShare = 0.75;
/** The part of the budget for callers that show no valid key, together, if keys are needed. */
export const strangerShare = 1 / 8;
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
          const own = usedBy.get(caller) ?? 0;
          if (own + bytes > maxBytesPerCaller) throw exhausted('your running requests', maxBytesPerCaller);
          if (own + bytes > (maxBytes - (used - own)) * callerShare) throw exhausted('running requests', maxBytes);
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
