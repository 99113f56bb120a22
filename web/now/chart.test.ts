import { describe, expect, test } from 'vitest';
import { areaPath, linePath, roundUp } from './chart.ts';

describe('the scale', () => {
  test.each([
    [0, 1],
    [0.3, 1],
    [1, 1],
    [1.1, 2],
    [3, 5],
    [5, 5],
    [7, 10],
    [180, 200],
    [1001, 2000],
  ])('for %d ends with %d', (value, end) => {
    expect(roundUp(value)).toBe(end);
  });
});

describe('a path', () => {
  const size = { width: 100, height: 50 };

  test('goes from the left edge to the right one, with high values at the top', () => {
    expect(linePath([0, 10, 5], 10, size)).toBe('M0 50L50 0L100 25');
  });

  test('of an area ends at the lower edge', () => {
    expect(areaPath([0, 10], 10, size)).toBe('M0 50L0 50L100 0L100 50Z');
  });

  test('of one value is a point', () => {
    expect(linePath([5], 10, size)).toBe('M0 25');
  });
});
