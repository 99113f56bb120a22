// Ends a request to a remote: when its caller leaves, and when the remote has sent nothing for too long.

import { HearthError, requestCanceled } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { fromNetwork, timedOut } from './remote-error.ts';

interface GuardOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the server stops. */
  readonly isClosing: () => boolean;
  /** `explain` has the reason. */
  readonly abort: () => void;
}

export function createGuard({ clock, timeoutMs, signal, isClosing, abort }: GuardOptions) {
  let isLate = false;
  let touched = clock.monotonic();
  // One timer for all chunks: when it fires, it waits for the rest of the time since the last one.
  const check = (): void => {
    const left = timeoutMs - (clock.monotonic() - touched) / nanosecondsPerMillisecond;
    if (left > 0) timer = clock.after(left, check);
    else {
      isLate = true;
      abort();
    }
  };
  let timer = clock.after(timeoutMs, check);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    /** Data has arrived. */
    touch(): void {
      touched = clock.monotonic();
    },
    end(): void {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    },
    /** The error that the caller gets. */
    explain(remote: string, error: unknown): Error {
      if (signal.aborted || isClosing()) return requestCanceled();
      if (isLate) return timedOut(remote, timeoutMs);
      return error instanceof HearthError ? error : fromNetwork(remote, error);
    },
  };
}
