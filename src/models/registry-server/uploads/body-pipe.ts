// Bytes from one hand to the other: whoever gives waits until the item has been used, so that nothing piles up. Many may
// give, one after the other; one takes.

import { HearthError } from '../../../base/errors.ts';

export interface BodyPipe<T> extends AsyncIterable<T> {
  /** Resolves when the other side comes for the next one; rejects when it will never come. */
  write(item: T): Promise<void>;
  end(): void;
  fail(error: Error): void;
}

interface Offer<T> {
  readonly item: T;
  taken(): void;
  refused(error: Error): void;
}

export function createBodyPipe<T>(): BodyPipe<T> {
  let offer: Offer<T> | undefined;
  let closed: { readonly error?: Error } | undefined;
  let wake = (): void => {};

  return {
    write(item) {
      if (closed) return Promise.reject(closed.error ?? new HearthError('internal', 'nobody takes any more'));
      return new Promise((taken, refused) => {
        offer = { item, taken, refused };
        wake();
      });
    },
    end() {
      closed ??= {};
      wake();
    },
    fail(error) {
      closed ??= { error };
      offer?.refused(error);
      offer = undefined;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const current = offer;
        if (current !== undefined) {
          yield current.item;
          offer = undefined;
          current.taken();
        } else if (closed?.error) throw closed.error;
        else if (closed) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
