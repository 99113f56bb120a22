// The items of a source, until somebody has had enough.

import { HearthError } from '../../../base/errors.ts';

/** The same items; but an abort ends it at once with an error, also while the source is silent. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let reject: (error: Error) => void = () => {};
  const onAbort = (): void => reject(new HearthError('cancelled', 'the transfer was given up'));
  signal?.addEventListener('abort', onAbort);
  let ended = false;
  try {
    for (;;) {
      // A promise for each item: one for all of them would remember every race that it was in.
      const item = await new Promise<IteratorResult<T>>((resolve, onError) => {
        reject = onError;
        if (signal?.aborted) onAbort();
        else iterator.next().then(resolve, onError);
      });
      ended = item.done === true;
      if (item.done) return;
      yield item.value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Not awaited: a generator that waits for its next item hears of it only after that.
    if (!ended) iterator.return?.().catch(() => {});
  }
}
