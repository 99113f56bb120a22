import { expect, test } from 'vitest';
import type { Clock } from '../../../base/time/clock.ts';
import { createTimeline } from './timeline.ts';

test('a moment is told the same way each time, until somebody sets the clock', () => {
  let [day, ticks] = [5_000_000, 0];
  const clock = { now: () => day, monotonic: () => ticks * 1e6 } as Clock;
  const timeline = createTimeline(clock);
  expect(timeline.toEpoch(10)).toBe(5_000_010);
  // The one is read in whole milliseconds, the other is not.
  [day, ticks] = [5_000_100, 100.9];
  expect(timeline.toEpoch(10)).toBe(5_000_010);
  day += 3_600_000;
  expect(Math.abs(timeline.toEpoch(10) - 8_600_010)).toBeLessThanOrEqual(1);
  expect(timeline.toEpoch(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
});
