import { expect, test } from 'vitest';
import { beginSpeed, measureSpeed, rateAt, type TransferSpeed } from './transfer-speed.ts';

/** Samples at regular intervals, after `start` initial bytes. */
function measureAll(start: number, every: number, counts: readonly number[]): TransferSpeed {
  return counts.reduce((speed, bytes, index) => measureSpeed(speed, bytes, (index + 1) * every), beginSpeed(start, 0));
}

test('initial bytes do not change the speed of a steady transfer', () => {
  expect(rateAt(measureAll(5e9, 1000, [5e9 + 1e6, 5e9 + 2e6, 5e9 + 3e6]), 3000)).toBeCloseTo(1e6);
});

test('a single outlier changes the speed only a little', () => {
  const counts = Array.from({ length: 10 }, (_, index) => (index + 1) * 1e6);
  const rate = rateAt(measureAll(0, 1000, [...counts, 15e6]), 11_000) as number;
  expect(rate).toBeGreaterThan(1e6);
  expect(rate).toBeLessThan(2.5e6);
});

test('samples in quick succession are combined', () => {
  const speed = beginSpeed(0, 0);
  expect(measureSpeed(speed, 1000, 10)).toBe(speed);
});

test('the speed of a stalled transfer decays to undefined', () => {
  const speed = measureAll(0, 1000, [1e6, 2e6]);
  expect(rateAt(speed, 5000)).toBeLessThan(1e6);
  expect(rateAt(speed, 120_000)).toBeUndefined();
});

test('a decreasing count does not give a negative speed', () => {
  expect(rateAt(measureAll(1e6, 1000, [5e5]), 1000)).toBeUndefined();
});
