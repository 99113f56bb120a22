// An unbuffered pipe: a write resolves when the reader has used the item, so that nothing accumulates. Several request
// bodies are written one after another; there is one reader.

import { HearthError } from '../../../base/errors.ts';

interface BodyPipe<T> extends AsyncIterable<T> {
  /** Resolves when the reader asks for the next item; rejects if the pipe is closed. */
  write(item: T): Promise<void>;
  end(): void;
  fail(error: Error): void;
}

interface PendingWrite<T> {
  readonly item: T;
  resolve(): void;
  reject(error: Error): void;
}

export function createBodyPipe<T>(): BodyPipe<T> {
  let pending: PendingWrite<T> | undefined;
  let closed: { readonly error?: Error } | undefined;
  let wake = (): void => {};

  return {
    write(item) {
      if (closed) return Promise.reject(closed.error ?? new HearthError('internal', 'the pipe is closed'));
      return new Promise((resolve, reject) => {
        pending = { item, resolve, reject };
        wake();
      });
    },
    end() {
      closed ??= {};
      wake();
    },
    fail(error) {
      closed ??= { error };
      pending?.reject(error);
      pending = undefined;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const current = pending;
        if (current !== undefined) {
          yield current.item;
          pending = undefined;
          current.resolve();
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
