// Aborts a request when nothing has arrived for too long, or when its caller gives up.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { fromNetwork, timedOut } from './remote-error.ts';

export interface Guard {
  readonly signal: AbortSignal;
  /** Data has arrived. */
  touch(): void;
  end(): void;
  /** The error that the caller gets. */
  explain(remote: string, error: unknown): Error;
}

export interface GuardOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export function createGuard({ clock, timeout, signal: outer }: GuardOptions): Guard {
  const controller = new AbortController();
  let isLate = false;
  let touched = clock.monotonic();
  // One timer for all chunks: when it fires, it waits for the rest of the time since the last one.
  const check = (): void => {
    const left = timeout - (clock.monotonic() - touched) / nanosecondsPerMillisecond;
    if (left > 0) timer = clock.after(left, check);
    else {
      isLate = true;
      controller.abort();
    }
  };
  let timer = clock.after(timeout, check);
  const onAbort = (): void => controller.abort();
  if (outer.aborted) onAbort();
  outer.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    touch() {
      touched = clock.monotonic();
    },
    end() {
      timer.cancel();
      outer.removeEventListener('abort', onAbort);
    },
    explain(remote, error) {
      if (outer.aborted) return new HearthError('cancelled', 'request canceled');
      if (isLate) return timedOut(remote, timeout);
      return error instanceof HearthError ? error : fromNetwork(remote, error);
    },
  };
}
