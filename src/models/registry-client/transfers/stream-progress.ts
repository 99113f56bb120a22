// Work that counts, as a stream of its counts.

import { createDeferred } from '../../../base/deferred.ts';
import type { Clock } from '../../../base/time/clock.ts';

// Milliseconds between two words about progress.
export const progressInterval = 100;

/** Counts that only grow, a few a second, the last one at the end; whoever leaves early ends the work. */
export async function* streamProgress(
  clock: Clock,
  signal: AbortSignal,
  work: (report: (count: number) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<number> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  let count = 0;
  let wake = (): void => {};
  let outcome: { readonly error?: unknown } | undefined;
  const running = work((next) => {
    count = Math.max(count, next);
  }, controller.signal).then(
    () => {
      outcome = {};
      wake();
    },
    (error: unknown) => {
      outcome = { error };
      wake();
    },
  );
  let shown = 0;
  try {
    for (;;) {
      if (outcome && 'error' in outcome) throw outcome.error;
      if (count > shown) yield count;
      shown = Math.max(shown, count);
      if (outcome && count <= shown) return;
      const moment = createDeferred<void>();
      wake = moment.resolve;
      const timer = clock.after(progressInterval, moment.resolve);
      if (outcome === undefined) await moment.promise;
      timer.cancel();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    controller.abort();
    await running;
  }
}
