// Aborts a request when no data moves for a while or when the caller aborts it.

import { HearthError } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { toRegistryError } from './network-error.ts';

interface StallGuardOptions {
  readonly clock: Clock;
  readonly origin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function createStallGuard({ clock, origin, timeoutMs, signal: parent }: StallGuardOptions) {
  const controller = new AbortController();
  let stalled = false;
  // While the reader processes a chunk, the remote side is not stalled.
  let isWaiting = true;
  let lastActivity = clock.monotonic();
  let timer: Timer;
  const arm = (): void => {
    timer = clock.after(timeoutMs, () => {
      if (!isWaiting) return arm();
      stalled = true;
      controller.abort();
    });
  };
  const onActivity = (): void => {
    const now = clock.monotonic();
    // Resetting the timer for each chunk would cost more than the chunk.
    if (now - lastActivity < nanosecondsPerSecond) return;
    lastActivity = now;
    timer.cancel();
    arm();
  };
  const onAbort = (): void => controller.abort();
  arm();
  if (parent.aborted) onAbort();
  parent.addEventListener('abort', onAbort);

  const end = (): void => {
    timer.cancel();
    parent.removeEventListener('abort', onAbort);
  };
  const explain = (error: unknown): HearthError => {
    if (parent.aborted) return new HearthError('cancelled', 'the transfer was canceled');
    if (!stalled) return toRegistryError(error, origin);
    const message = `${new URL(origin).host}: no data for ${timeoutMs / 1000} seconds`;
    return new HearthError('registry_failed', message, { cause: error });
  };

  return {
    /** Aborts on a stall or with the caller's signal. */
    signal: controller.signal,
    /** Passes a request body through; each consumed chunk counts as activity. */
    async *watchRequestBody(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
      for await (const chunk of body) {
        onActivity();
        yield chunk;
      }
    },
    /** Passes a response body through. */
    async *watchResponseBody(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
      try {
        for await (const chunk of body) {
          isWaiting = false;
          yield chunk;
          isWaiting = true;
          onActivity();
        }
      } catch (error) {
        throw explain(error);
      } finally {
        // The reader may stop before the end of the response; then the rest is awaited.
        isWaiting = true;
      }
    },
    explain,
    end,
  };
}

export type StallGuard = ReturnType<typeof createStallGuard>;
