// Turns the progress callbacks of an operation into a stream.

import { createDeferred } from '../../../base/deferred.ts';
import type { Clock } from '../../../base/time/clock.ts';

// Milliseconds between two progress reports.
export const progressInterval = 100;

/** Yields increasing counts, a few per second, and the last one at the end. Leaving the loop early aborts the work. */
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
  let reported = 0;
  try {
    for (;;) {
      if (outcome && 'error' in outcome) throw outcome.error;
      if (count > reported) yield count;
      reported = Math.max(reported, count);
      if (outcome && count <= reported) return;
      const pause = createDeferred<void>();
      wake = pause.resolve;
      const timer = clock.after(progressInterval, pause.resolve);
      if (outcome === undefined) await pause.promise;
      timer.cancel();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    controller.abort();
    await running;
  }
}
