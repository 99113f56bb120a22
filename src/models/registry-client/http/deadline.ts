// A time limit for an operation as a whole, even while data keeps arriving.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';

interface Deadline {
  readonly clock: Clock;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** Subject of the message "… took longer than …". */
  readonly what: string;
}

export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, milliseconds, signal, what } = deadline;
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  let timedOut = false;
  const timer = clock.after(milliseconds, () => {
    timedOut = true;
    onAbort();
  });
  try {
    return await work(controller.signal);
  } catch (error) {
    if (timedOut && !signal.aborted)
      throw new HearthError('registry_failed', `${what} took longer than ${milliseconds / 1000} seconds`);
    throw error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
