// Limits the memory for the bodies of all running requests together. Bytes count when they arrive: a client that only
// announces a large body reserves nothing.

import { HearthError } from '../../../base/errors.ts';

export interface BodyBudget {
  readonly maxBytes: number;
  /** The part of one request. */
  open(): BodyShare;
}

export interface BodyShare {
  /** Throws if the budget is exhausted. */
  take(bytes: number): void;
  release(): void;
}

const retryAfterSeconds = 2;

export function createBodyBudget(maxBytes: number): BodyBudget {
  let used = 0;
  return {
    maxBytes,
    open() {
      let taken = 0;
      let open = true;
      return {
        take(bytes) {
          if (!open) return;
          if (used + bytes > maxBytes) throw exhausted(maxBytes);
          taken += bytes;
          used += bytes;
        },
        release() {
          if (!open) return;
          open = false;
          used -= taken;
        },
      };
    },
  };
}

function exhausted(maxBytes: number): HearthError & { readonly retryAfterSeconds: number } {
  const message = `server busy: the bodies of running requests have reached ${toMebibytes(maxBytes)} MiB, please try again`;
  return Object.assign(new HearthError('busy', message), { retryAfterSeconds });
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
