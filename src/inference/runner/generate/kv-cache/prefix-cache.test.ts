import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PrefixCache } from './prefix-cache.ts';

const entry = (tokens: readonly number[], bytes = 100, marks: readonly number[] = []) => ({
  tokens: Int32Array.from(tokens),
  promptLength: tokens.length - 1,
  snapshot: Buffer.alloc(bytes),
  stateBytes: 0,
  marks: marks.map((length) => ({ length, state: Buffer.alloc(10) })),
  partition: '',
});

const query = (tokens: readonly number[], partition = '') => ({ tokens, partition });
const createCache = (capacityBytes: number) => new PrefixCache({ capacityBytes, cutsAnywhere: true });

describe('PrefixCache', () => {
  test('finds the entry with the longest common prefix', () => {
    const prefixCache = createCache(10_000);
    prefixCache.put(entry([1, 2, 3]));
    prefixCache.put(entry([1, 2, 9, 9]));
    expect(prefixCache.find(query([1, 2, 9, 5])).best?.length).toBe(3);
    expect(prefixCache.find(query([1, 2, 3, 4])).best?.length).toBe(3);
    expect(prefixCache.find(query([7]))).toEqual({ best: undefined, overlap: { common: 0, promptLength: 0 } });
  });

  test('evicts the least recently used entry first', () => {
    const prefixCache = createCache(3 * 104);
    prefixCache.put(entry([1]));
    prefixCache.put(entry([2]));
    prefixCache.put(entry([3]));
    prefixCache.touch(prefixCache.find(query([1])).best?.entry as ReturnType<typeof entry>);
    prefixCache.put(entry([4]));
    expect([1, 2, 3, 4].map((token) => prefixCache.covers(query([token])))).toEqual([true, false, true, true]);
    expect(prefixCache.evicted).toBe(1);
  });

  describe('named conversations', () => {
    const of = (token: number, client: string, session?: string) => ({ ...entry([token]), client, session });
    const kept = (prefixCache: PrefixCache, ...tokens: readonly number[]) =>
      tokens.filter((token) => prefixCache.covers(query([token])));

    test('are kept before other prompts of the same client', () => {
      const prefixCache = createCache(3 * 104);
      prefixCache.put(of(1, 'a', 'first'));
      prefixCache.put(of(2, 'a', 'second'));
      for (const token of [3, 4, 5, 6]) prefixCache.put(of(token, 'a'));
      expect(kept(prefixCache, 1, 2, 3, 4, 5, 6)).toEqual([1, 2, 6]);
    });

    test('are found before others that provide as much', () => {
      const prefixCache = createCache(3 * 104);
      prefixCache.put({ ...entry([1, 2]), client: 'a', session: 'first' });
      prefixCache.put({ ...entry([1, 3]), client: 'a', session: 'second' });
      const found = (session?: string) => prefixCache.find({ ...query([1, 9]), session }).best?.entry.session;
      expect(['first', 'second', 'third', undefined].map(found)).toEqual(['first', 'second', 'second', 'second']);
      const longer = prefixCache.find({ ...query([1, 3, 9]), session: 'first' });
      expect(longer.best).toMatchObject({ length: 2, entry: { session: 'second' } });
    });

    test('give way to other clients like any other prompt', () => {
      const prefixCache = createCache(3 * 104);
      prefixCache.put(of(1, 'a', 'first'));
      prefixCache.put(of(2, 'a'));
      for (const token of [3, 4]) prefixCache.put(of(token, 'b'));
      expect(kept(prefixCache, 1, 2, 3, 4)).toEqual([2, 3, 4]);
    });

    test('of others are not touched by the names of a client', () => {
      const prefixCache = createCache(2 * 104);
      prefixCache.put(of(1, 'b'));
      for (const token of [2, 3, 4]) prefixCache.put(of(token, 'a', `session ${token}`));
      const plain = createCache(2 * 104);
      plain.put(of(1, 'b'));
      for (const token of [2, 3, 4]) plain.put(of(token, 'a'));
      expect(kept(prefixCache, 1, 2, 3, 4)).toEqual(kept(plain, 1, 2, 3, 4));
    });

    test('give way after a while if they are not continued', () => {
      const prefixCache = createCache(2 * 104);
      prefixCache.put(of(1, 'a', 'old'));
      for (let token = 2; token < 100; token++) prefixCache.put(of(token, 'a'));
      expect(kept(prefixCache, 1, 98, 99)).toEqual([98, 99]);
    });
  });

  test('a lower limit evicts the least recently used entries, a higher one makes room again', () => {
    const prefixCache = createCache(3 * 104);
    for (const token of [1, 2, 3]) prefixCache.put(entry([token]));
    prefixCache.limit(104);
    expect([prefixCache.bytes, prefixCache.covers(query([3]))]).toEqual([104, true]);
    prefixCache.limit(0);
    prefixCache.put(entry([4]));
    expect(prefixCache.bytes).toBe(0);
    prefixCache.limit(2 * 104);
    for (const token of [5, 6]) prefixCache.put(entry([token]));
    expect(prefixCache.bytes).toBe(2 * 104);
  });

  test('a longer entry replaces its prefix', () => {
    const prefixCache = createCache(10_000);
    prefixCache.put(entry([1, 2]));
    prefixCache.put(entry([1, 2, 3]));
    expect(prefixCache.bytes).toBe(112);
    expect(prefixCache.covers(query([1, 2]))).toBe(true);
  });

  test('an entry larger than the cache is not stored', () => {
    const prefixCache = createCache(50);
    prefixCache.put(entry([1]));
    expect(prefixCache.bytes).toBe(0);
    expect(prefixCache.covers(query([1]))).toBe(false);
  });

  test('an owner takes its entry, which others find and no other entry replaces', () => {
    const prefixCache = createCache(10_000);
    const owned = { ...entry([1, 2]), owner: 7 };
    prefixCache.put(owned);
    prefixCache.put(entry([1, 2, 3]));
    expect(prefixCache.find(query([1, 2, 9])).best?.length).toBe(2);
    expect(prefixCache.take(8)).toBeUndefined();
    expect(prefixCache.take(7)).toBe(owned);
    expect(prefixCache.take(7)).toBeUndefined();
    expect(prefixCache.bytes).toBe(112);
  });

  test('an entry with an owner does not cover tokens, and can be evicted', () => {
    const prefixCache = createCache(150);
    prefixCache.put({ ...entry([1, 2]), owner: 7 });
    expect(prefixCache.covers(query([1, 2]))).toBe(false);
    prefixCache.put(entry([3]));
    expect(prefixCache.take(7)).toBeUndefined();
  });

  test('never exceeds its capacity, and counts its bytes correctly', () => {
    const puts = fc.array(fc.tuple(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 }), fc.nat({ max: 300 })));
    fc.assert(
      fc.property(puts, (list) => {
        const prefixCache = createCache(500);
        for (const [tokens, bytes] of list) {
          prefixCache.put(entry(tokens, bytes));
          expect(prefixCache.bytes).toBeLessThanOrEqual(500);
          expect(prefixCache.bytes).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test('entries of another partition are neither found nor replaced', () => {
    const prefixCache = createCache(10_000);
    prefixCache.put({ ...entry([1, 2]), partition: 'a' });
    prefixCache.put({ ...entry([1, 2, 3]), partition: 'b' });
    expect(prefixCache.find(query([1, 2, 3], 'a')).best?.length).toBe(2);
    expect(prefixCache.find(query([1, 2, 3])).best).toBeUndefined();
    expect(prefixCache.covers(query([1, 2], 'c'))).toBe(false);
  });

  test('tells what it evicts, and which entries were used', () => {
    const evicted: (readonly [number, boolean])[] = [];
    const prefixCache = new PrefixCache({
      capacityBytes: 2 * 104,
      cutsAnywhere: true,
      onEvict: ({ tokens }, used) => evicted.push([tokens[0] as number, used]),
    });
    const first = entry([1]);
    for (const one of [first, entry([2])]) prefixCache.put(one);
    prefixCache.touch(first);
    expect(prefixCache.list().map(({ entry: { tokens }, used }) => [tokens[0], used])).toEqual([
      [2, false],
      [1, true],
    ]);
    for (const one of [entry([3]), entry([4])]) prefixCache.put(one);
    expect(evicted).toEqual([
      [2, false],
      [1, true],
    ]);
  });
});

describe('of a memory that cannot be cut at any token', () => {
  const createUncut = () => new PrefixCache({ capacityBytes: 10_000, cutsAnywhere: false });

  test('an entry is used as a whole, or up to a mark', () => {
    const prefixCache = createUncut();
    prefixCache.put(entry([1, 2, 3, 4, 5, 6], 100, [2, 4]));
    const usable = (tokens: readonly number[]) => {
      const { best, overlap } = prefixCache.find(query(tokens));
      return [best?.length, overlap.common];
    };
    expect(usable([1, 2, 3, 4, 5, 6, 7])).toEqual([6, 6]);
    expect(usable([1, 2, 3, 4, 5, 9])).toEqual([4, 5]);
    expect(usable([1, 2, 3])).toEqual([2, 3]);
    expect(usable([1, 9])).toEqual([undefined, 1]);
  });

  test('the overlap is that of the entry with the longest common prefix', () => {
    const prefixCache = createUncut();
    prefixCache.put(entry([1, 2, 3, 4, 5, 6]));
    prefixCache.put(entry([1, 2], 100, [1]));
    const { best, overlap } = prefixCache.find(query([1, 2, 3, 9]));
    expect(best?.length).toBe(2);
    expect(overlap).toEqual({ common: 3, promptLength: 5 });
  });

  test('a longer entry replaces its prefix only if it can be cut there and at its marks', () => {
    const prefixCache = createUncut();
    prefixCache.put(entry([1, 2, 3], 100, [2]));
    prefixCache.put(entry([1, 2, 3, 4], 100, [3]));
    expect(prefixCache.list()).toHaveLength(2);
    prefixCache.put(entry([1, 2, 3, 4, 5], 100, [2, 3, 4]));
    expect(prefixCache.list()).toHaveLength(1);
  });
});
