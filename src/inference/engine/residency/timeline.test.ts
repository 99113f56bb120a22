import { expect, test } from 'vitest';
import type { Clock } from '../../../base/time/clock.ts';
import { createTimeline } from './describe-residency.ts';

test('a reading gives the same time of day each time, unless the system clock is set', () => {
  let [day, ticks] = [5_000_000, 0];
  const clock = { now: () => day, monotonic: () => ticks * 1e6 } as Clock;
  const timeline = createTimeline(clock);
  expect(timeline.toEpoch(10)).toBe(5_000_010);
  // The wall clock has a resolution of 1 ms, the monotonic clock is finer.
  [day, ticks] = [5_000_100, 100.9];
  expect(timeline.toEpoch(10)).toBe(5_000_010);
  day += 3_600_000;
  expect(Math.abs(timeline.toEpoch(10) - 8_600_010)).toBeLessThanOrEqual(1);
  expect(timeline.toEpoch(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
});
