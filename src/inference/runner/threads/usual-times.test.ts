import { expect, test } from 'vitest';
import { createUsualTimes } from './usual-times.ts';

const kind = { threads: 2, tokens: 1 };

test('is about the fastest of the last passes', () => {
  const times = createUsualTimes();
  expect(times.of(kind)).toBeUndefined();
  for (const time of [30, 28, 200, 29, 35]) times.observe(kind, time);
  expect(times.of(kind)).toBeGreaterThanOrEqual(28);
  expect(times.of(kind)).toBeLessThan(32);
});

test('follows a growing context', () => {
  const times = createUsualTimes();
  for (let pass = 0; pass < 1000; pass++) times.observe(kind, 100 + pass);
  expect(times.of(kind)).toBe(1099);
});

test('each number of tokens and threads has its own', () => {
  const times = createUsualTimes();
  times.observe(kind, 30);
  times.observe({ threads: 2, tokens: 16 }, 200);
  times.observe({ threads: 3, tokens: 1 }, 20);
  expect([times.of(kind), times.of({ threads: 2, tokens: 16 }), times.of({ threads: 3, tokens: 1 })]).toEqual([
    30, 200, 20,
  ]);
});

test('a number of threads without a pass is estimated by the others', () => {
  const times = createUsualTimes();
  times.observe({ threads: 16, tokens: 1 }, 10);
  expect(times.of({ threads: 8, tokens: 1 })).toBe(20);
  expect(times.of({ threads: 32, tokens: 1 })).toBe(10);
  expect(times.of({ threads: 8, tokens: 2 })).toBeUndefined();
  times.observe({ threads: 8, tokens: 1 }, 14);
  expect(times.of({ threads: 8, tokens: 1 })).toBe(14);
  expect(times.of({ threads: 4, tokens: 1 })).toBe(28);
});
