// One clock out of two: moments are read from the one that never jumps, and told as times of day. The same moment is
// told the same way each time, until somebody sets the clock.

import type { Clock } from '../../../base/time/clock.ts';

export interface Timeline {
  /** Milliseconds since some moment. */
  now(): number;
  /** Milliseconds since the epoch. */
  toEpoch(moment: number): number;
}

// Milliseconds: more than the two clocks differ by in reading them.
const jump = 1000;

export function createTimeline(clock: Clock): Timeline {
  const now = (): number => clock.monotonic() / 1e6;
  const measure = (): number => clock.now() - now();
  let offset = measure();
  return {
    now,
    toEpoch(moment) {
      const measured = measure();
      if (Math.abs(measured - offset) > jump) offset = measured;
      return Math.round(moment + offset);
    },
  };
}
