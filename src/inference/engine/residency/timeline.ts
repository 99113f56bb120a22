// Converts readings of the monotonic clock to times of day. A reading gives the same time of day each time, unless the
// system clock is set.

import type { Clock } from '../../../base/time/clock.ts';

// Larger than the error of reading both clocks.
const minJumpMs = 1000;

export function createTimeline(clock: Clock) {
  const now = (): number => clock.monotonic() / 1e6;
  const measure = (): number => clock.now() - now();
  let offset = measure();
  return {
    /** Milliseconds of the monotonic clock. */
    now,
    /** Returns milliseconds since the epoch. */
    toEpoch(moment: number): number {
      const measured = measure();
      if (Math.abs(measured - offset) > minJumpMs) offset = measured;
      return Math.round(moment + offset);
    },
  };
}

export type Timeline = ReturnType<typeof createTimeline>;
