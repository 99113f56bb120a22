import { expect, test } from 'vitest';
import { mapBounded } from './files/map-bounded.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([1, 3])('lets in %d at a time, in order, and failures give their place back', async (room) => {
  const gate = createConcurrencyLimit(room);
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  const visits = Array.from({ length: 20 }, (_, index) =>
    gate(async () => {
      order.push(index);
      most = Math.max(most, ++inside);
      await moment();
      inside--;
      if (index % 5 === 0) throw new Error('no');
      return index;
    }),
  );
  const results = await Promise.allSettled(visits);
  expect(most).toBe(room);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
});

test('many are mapped in order, some at once', async () => {
  let inside = 0;
  let most = 0;
  const doubled = await mapBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++inside);
    await moment();
    inside--;
    return item * 2;
  });
  expect([doubled, most]).toEqual([[2, 4, 6, 8, 10, 12, 14], 3]);
  expect(await mapBounded([], 3, async () => 1)).toEqual([]);
  await expect(mapBounded([1], 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
