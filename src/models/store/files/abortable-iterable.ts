// Makes the iteration of a source abortable.

import { Readable } from 'node:stream';
import { HearthError } from '../../../base/errors.ts';

/** Yields the items of the source. An abort throws at once, even while the source is silent. */
export async function* toAbortableIterable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let reject: (error: Error) => void = () => {};
  const onAbort = (): void => reject(new HearthError('cancelled', 'the transfer was canceled'));
  signal?.addEventListener('abort', onAbort);
  let ended = false;
  try {
    for (;;) {
      // A new promise for each item: a single one in repeated races would leak their handlers.
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
    // Not awaited: a generator that waits for its next item settles `return` only after that.
    if (!ended) iterator.return?.().catch(() => {});
    // `return` does not reach a stream whose iterator has not been started.
    if (!ended && source instanceof Readable) source.destroy();
  }
}
