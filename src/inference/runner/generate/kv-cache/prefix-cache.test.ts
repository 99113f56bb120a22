import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonLength, createPrefixCache } from './prefix-cache.ts';

const entry = (tokens: readonly number[], bytes = 100) => ({
  tokens: Int32Array.from(tokens),
  snapshot: Buffer.alloc(bytes),
  partition: '',
});
const query = (...tokens: readonly number[]) => ({ tokens, partition: '' });

describe('createPrefixCache', () => {
  test('finds the entry with the longest common prefix', () => {
    const prefixCache = createPrefixCache(10_000);
    prefixCache.put(entry([1, 2, 3]));
    prefixCache.put(entry([1, 2, 9, 9]));
    expect(prefixCache.find(query(1, 2, 9, 5))?.length).toBe(3);
    expect(prefixCache.find(query(1, 2, 3, 4))?.length).toBe(3);
    expect(prefixCache.find(query(7))).toBeUndefined();
  });

  test('evicts the least recently used entry first', () => {
    const prefixCache = createPrefixCache(3 * 104);
    prefixCache.put(entry([1]));
    prefixCache.put(entry([2]));
    prefixCache.put(entry([3]));
    prefixCache.find(query(1));
    prefixCache.put(entry([4]));
    expect([1, 2, 3, 4].map((token) => prefixCache.covers(query(token)))).toEqual([true, false, true, true]);
    expect(prefixCache.evicted).toBe(1);
  });

  test('a longer entry replaces its prefix', () => {
    const prefixCache = createPrefixCache(10_000);
    prefixCache.put(entry([1, 2]));
    prefixCache.put(entry([1, 2, 3]));
    expect(prefixCache.bytes).toBe(112);
    expect(prefixCache.covers(query(1, 2))).toBe(true);
  });

  test('an entry is only for its partition, and does not replace one of another', () => {
    const prefixCache = createPrefixCache(10_000);
    prefixCache.put(entry([1, 2]));
    prefixCache.put({ ...entry([1, 2, 3]), partition: 'other' });
    expect(prefixCache.find(query(1, 2, 3))?.length).toBe(2);
    expect(prefixCache.find({ tokens: [1, 2, 3], partition: 'other' })?.length).toBe(3);
    expect(prefixCache.covers({ tokens: [1], partition: 'third' })).toBe(false);
  });

  test('an entry larger than the cache is not stored', () => {
    const prefixCache = createPrefixCache(50);
    prefixCache.put(entry([1]));
    expect(prefixCache.bytes).toBe(0);
    expect(prefixCache.covers(query(1))).toBe(false);
  });

  test('an owner takes its entry, which others find and no other entry replaces', () => {
    const prefixCache = createPrefixCache(10_000);
    const owned = { ...entry([1, 2]), owner: 7 };
    prefixCache.put(owned);
    prefixCache.put(entry([1, 2, 3]));
    expect(prefixCache.find(query(1, 2, 9))?.length).toBe(2);
    expect(prefixCache.take(8)).toBeUndefined();
    expect(prefixCache.take(7)).toBe(owned.snapshot);
    expect(prefixCache.take(7)).toBeUndefined();
    expect(prefixCache.bytes).toBe(112);
  });

  test('an entry with an owner does not cover tokens, and can be evicted', () => {
    const prefixCache = createPrefixCache(150);
    prefixCache.put({ ...entry([1, 2]), owner: 7 });
    expect(prefixCache.covers(query(1, 2))).toBe(false);
    prefixCache.put(entry([3]));
    expect(prefixCache.take(7)).toBeUndefined();
  });

  test('never exceeds its capacity, and counts its bytes correctly', () => {
    const puts = fc.array(fc.tuple(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 }), fc.nat({ max: 300 })));
    fc.assert(
      fc.property(puts, (list) => {
        const prefixCache = createPrefixCache(500);
        for (const [tokens, bytes] of list) {
          prefixCache.put(entry(tokens, bytes));
          expect(prefixCache.bytes).toBeLessThanOrEqual(500);
          expect(prefixCache.bytes).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

test('commonLength', () => {
  expect(commonLength([1, 2, 3], [1, 2, 4])).toBe(2);
  expect(commonLength([], [1])).toBe(0);
  expect(commonLength([1, 2], [1, 2, 3])).toBe(2);
});
