import { expect, test } from 'vitest';
import { sumLoad } from './server-load.ts';

test('an idle server has no load', () => {
  expect(sumLoad({ models: [], queues: [] })).toEqual({ running: 0, waiting: 0, cacheUsage: 0 });
});

test('a request that has a model and waits for its runner is not running', () => {
  const models = [{ leases: 4 }, { leases: 1 }];
  const queues = [
    { waiting: 3, leased: 2 },
    { waiting: 5, leased: 0 },
  ];
  expect(sumLoad({ models, queues })).toEqual({ running: 3, waiting: 8, cacheUsage: 0 });
});

test('the fullest KV cache counts, and no more than all of it', () => {
  const usageOf = (...contexts: readonly ({ used: number; total: number } | undefined)[]): number =>
    sumLoad({ models: contexts.map((context) => ({ leases: 0, context })), queues: [] }).cacheUsage;
  expect(usageOf({ used: 10, total: 100 }, undefined, { used: 60, total: 80 })).toBe(0.75);
  expect(usageOf({ used: 300, total: 100 })).toBe(1);
  expect(usageOf({ used: 3, total: 0 })).toBe(0);
});
