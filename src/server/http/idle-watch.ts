// Notices that the server has had no work for a while. A server that a command has started ends then.

import type { Clock, Timer } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';

interface IdleWatchOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly isBusy: () => boolean;
  /** Called once. */
  readonly onIdle: () => void;
}

// Milliseconds between checks.
const maxInterval = 30_000;
const checksPerLimit = 10;

export function createIdleWatch({ clock, limitMs, isBusy, onIdle }: IdleWatchOptions) {
  const interval = Math.min(limitMs / checksPerLimit, maxInterval);
  let lastWork = clock.monotonic();
  const noteWork = (): void => {
    lastWork = clock.monotonic();
  };
  const check = (): void => {
    if (isBusy()) noteWork();
    if ((clock.monotonic() - lastWork) / nanosecondsPerMillisecond >= limitMs) onIdle();
    else timer = clock.after(interval, check);
  };
  let timer: Timer = clock.after(interval, check);
  return {
    /** Work that may begin and end between two checks. */
    noteWork,
    stop: (): void => timer.cancel(),
  };
}

export type IdleWatch = ReturnType<typeof createIdleWatch>;
