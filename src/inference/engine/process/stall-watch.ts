// Notices when something that should show signs of life shows none for too long.

import type { Clock, Timer } from '../../../base/time/clock.ts';

export interface StallWatch {
  start(): void;
  /** A sign of life; counts only between start and stop. */
  touch(): void;
  stop(): void;
}

/** `milliseconds` of 0, less or Infinity watch nothing. */
export function createStallWatch(clock: Clock, milliseconds: number, onStall: () => void): StallWatch {
  let timer: Timer | undefined;
  const watches = milliseconds > 0 && Number.isFinite(milliseconds);
  const start = (): void => {
    timer?.cancel();
    timer = watches ? clock.after(milliseconds, onStall) : undefined;
  };
  return {
    start,
    touch: () => timer && start(),
    stop() {
      timer?.cancel();
      timer = undefined;
    },
  };
}
