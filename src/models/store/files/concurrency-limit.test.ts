import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { mapBounded } from './map-bounded.ts';

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([1, 3])('runs at most %d at a time, in order, also after failures', async (max) => {
  const limit = createConcurrencyLimit(max);
  let running = 0;
  let maxRunning = 0;
  const order: number[] = [];
  const calls = Array.from({ length: 20 }, (_, index) =>
    limit(async () => {
      order.push(index);
      maxRunning = Math.max(maxRunning, ++running);
      await nextTick();
      running--;
      if (index % 5 === 0) throw new Error('no');
      return index;
    }),
  );
  const results = await Promise.allSettled(calls);
  expect(maxRunning).toBe(max);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
});

test('mapBounded returns results in order with bounded concurrency', async () => {
  let running = 0;
  let maxRunning = 0;
  const doubled = await mapBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    maxRunning = Math.max(maxRunning, ++running);
    await nextTick();
    running--;
    return item * 2;
  });
  expect([doubled, maxRunning]).toEqual([[2, 4, 6, 8, 10, 12, 14], 3]);
  expect(await mapBounded([], 3, async () => 1)).toEqual([]);
  await expect(mapBounded([1], 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
