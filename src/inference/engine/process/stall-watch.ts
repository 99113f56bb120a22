// Detects that a process has shown no activity for too long.

import type { Clock, Timer } from '../../../base/time/clock.ts';

/** 0, negative or infinite `milliseconds` disable the watch. */
export function createStallWatch(clock: Clock, milliseconds: number, onStall: () => void) {
  let timer: Timer | undefined;
  const enabled = milliseconds > 0 && Number.isFinite(milliseconds);
  const start = (): void => {
    timer?.cancel();
    timer = enabled ? clock.after(milliseconds, onStall) : undefined;
  };
  return {
    start,
    /** Reports activity. Ignored before `start` and after `stop`. */
    touch: (): void => timer && start(),
    stop(): void {
      timer?.cancel();
      timer = undefined;
    },
  };
}
