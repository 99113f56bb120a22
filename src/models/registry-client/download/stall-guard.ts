// Watches over one request: gives it up when the other side shows no sign of life for a while, or when its caller goes.

import { HearthError } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { toRegistryError } from '../http/network-error.ts';

export interface StallGuard {
  /** Aborts when it is over. */
  readonly signal: AbortSignal;
  /** The same body on its way out; each chunk that is taken is a sign of life. */
  watch(body: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
  /** The same body on its way in. */
  chunksOf(body: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
  explain(error: unknown): HearthError;
  end(): void;
}

export interface StallGuardOptions {
  readonly clock: Clock;
  readonly origin: string;
  /** Milliseconds. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export function createStallGuard({ clock, origin, limit, signal: parent }: StallGuardOptions): StallGuard {
  const controller = new AbortController();
  let stalled = false;
  // While we are busy with what came, the other side is not to blame.
  let isWaiting = true;
  let lastSign = clock.monotonic();
  let timer: Timer;
  const arm = (): void => {
    timer = clock.after(limit, () => {
      if (!isWaiting) return arm();
      stalled = true;
      controller.abort();
    });
  };
  const alive = (): void => {
    const now = clock.monotonic();
    // A timer for each chunk would cost more than the chunk.
    if (now - lastSign < nanosecondsPerSecond) return;
    lastSign = now;
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
    if (parent.aborted) return new HearthError('cancelled', 'the transfer was given up');
    if (!stalled) return toRegistryError(error, origin);
    const message = `${new URL(origin).host}: nothing came for ${limit / 1000} seconds`;
    return new HearthError('registry_failed', message, { cause: error });
  };

  return {
    signal: controller.signal,
    async *watch(body) {
      for await (const chunk of body) {
        alive();
        yield chunk;
      }
    },
    async *chunksOf(body) {
      try {
        for await (const chunk of body) {
          isWaiting = false;
          yield chunk;
          isWaiting = true;
          alive();
        }
      } catch (error) {
        throw explain(error);
      } finally {
        // Whoever has read enough may leave a rest that is still to come.
        isWaiting = true;
      }
    },
    explain,
    end,
  };
}
