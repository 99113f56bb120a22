import { describe, expect, test } from 'vitest';
import { createPassCosts, type MeasuredPass, type PassCosts } from './pass-costs.ts';

const samples = 10;

/** Measures passes of these times often enough. */
function measured(...passes: readonly MeasuredPass[]): PassCosts {
  const costs = createPassCosts();
  for (const pass of passes) for (let sample = 0; sample < samples; sample++) costs.observe(pass);
  return costs;
}

test('the first passes of each size and length are wanted', () => {
  const costs = createPassCosts();
  const wants = (rows: number, cells: number): boolean => costs.wants({ rows, cells });
  expect([wants(1, 100), wants(8, 100)]).toEqual([true, true]);
  for (let sample = 0; sample < samples; sample++) costs.observe({ rows: 1, cells: 100, nanoseconds: 10 });
  expect([wants(1, 0), wants(1, 511), wants(1, 512), wants(8, 100)]).toEqual([false, false, true, true]);
  for (let sample = 0; sample < samples; sample++) costs.observe({ rows: 1, cells: 1024, nanoseconds: 10 });
  expect([wants(1, 512), wants(1, 1024), wants(1, 2047), wants(1, 2048)]).toEqual([true, false, false, true]);
  expect(wants(1, 100)).toBe(false);
  // A pass of five rows says nothing about one of eight.
  expect(wants(5, 100)).toBe(false);
});

describe('the cost of a pass', () => {
  test('is the ratio of its time to that of a pass with one row', () => {
    const costs = measured({ rows: 1, cells: 100, nanoseconds: 10 }, { rows: 8, cells: 100, nanoseconds: 22 });
    expect(costs.costOf({ rows: 8, cells: 100 })).toBeCloseTo(2.2);
    expect(costs.costOf({ rows: 1, cells: 100 })).toBe(1);
  });

  test('is that of the fastest of the first samples', () => {
    const costs = measured({ rows: 1, cells: 100, nanoseconds: 10 });
    for (const nanoseconds of [90, 30, 50, 10]) costs.observe({ rows: 8, cells: 100, nanoseconds });
    expect(costs.costOf({ rows: 8, cells: 100 })).toBeCloseTo(3);
  });

  test('is measured for contexts of different lengths', () => {
    const costs = measured(
      { rows: 1, cells: 100, nanoseconds: 10 },
      { rows: 8, cells: 100, nanoseconds: 20 },
      { rows: 1, cells: 3000, nanoseconds: 20 },
      { rows: 8, cells: 3000, nanoseconds: 120 },
    );
    expect([100, 3000].map((cells) => costs.costOf({ rows: 8, cells }))).toEqual([2, 6]);
    expect(costs.isMeasured({ rows: 8, cells: 1500 })).toBe(false);
  });

  test('is derived from the nearest size', () => {
    const costs = measured({ rows: 1, cells: 0, nanoseconds: 10 }, { rows: 8, cells: 0, nanoseconds: 24 });
    expect(costs.costOf({ rows: 16, cells: 0 })).toBeCloseTo(4);
    expect(costs.isMeasured({ rows: 16, cells: 0 })).toBe(false);
  });

  test('is that of the nearest context if its own was not measured', () => {
    const costs = measured(
      { rows: 1, cells: 100, nanoseconds: 10 },
      { rows: 8, cells: 100, nanoseconds: 20 },
      { rows: 1, cells: 3000, nanoseconds: 20 },
      { rows: 8, cells: 3000, nanoseconds: 120 },
    );
    expect([700, 1500, 9000].map((cells) => costs.costOf({ rows: 8, cells }))).toEqual([2, 6, 6]);
  });

  test('is assumed before the first measurement: more for more rows, except in tiles', () => {
    const costs = createPassCosts();
    const costOf = (rows: number): number => costs.costOf({ rows, cells: 1000 });
    expect(costOf(8)).toBeLessThan(costOf(16));
    expect(costOf(64)).toBeLessThan(2 * costOf(32));
  });

  test('does not count a pass that fills little of its size, or one without a time', () => {
    const costs = measured({ rows: 1, cells: 0, nanoseconds: 10 });
    for (let sample = 0; sample < samples; sample++) {
      costs.observe({ rows: 5, cells: 0, nanoseconds: 10 });
      costs.observe({ rows: 8, cells: 0, nanoseconds: 0 });
    }
    expect(costs.isMeasured({ rows: 8, cells: 0 })).toBe(false);
  });
});

describe('the cost of a drafted token', () => {
  test('is relative to a pass with one row', () => {
    const costs = measured({ rows: 1, cells: 100, nanoseconds: 100 });
    const assumed = costs.draftCost(100);
    for (let sample = 0; sample < samples; sample++) costs.observeDraft({ tokens: 4, nanoseconds: 20 });
    expect(costs.draftCost(100)).toBeCloseTo(0.05);
    expect(costs.draftCost(5000)).toBe(assumed);
  });
});
