import { expect, test } from 'vitest';
import { createLruCache } from './lru-cache.ts';

function createCountingCache(maxEntries: number) {
  const cache = createLruCache<string | undefined>(maxEntries);
  const created: string[] = [];
  const get = (key: string, value?: string) =>
    cache.getOrCreate(key, () => {
      created.push(key);
      return value;
    });
  return { cache, created, get };
}

test('a value is created once, also if it is undefined', () => {
  const { created, get } = createCountingCache(2);
  expect([get('a', '1'), get('a', '2'), get('b'), get('b')]).toEqual(['1', '1', undefined, undefined]);
  expect(created).toEqual(['a', 'b']);
});

test('the least recently used entry is dropped first', () => {
  const { created, get } = createCountingCache(2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) get(key);
  expect(created).toEqual(['a', 'b', 'c', 'b']);
});

test('an entry can be deleted, and a failure is not cached', () => {
  const { cache, created, get } = createCountingCache(2);
  get('a');
  cache.delete('a');
  get('a');
  expect(created).toEqual(['a', 'a']);
  const fail = () => {
    throw new Error('no');
  };
  expect(() => cache.getOrCreate('b', fail)).toThrow('no');
  expect(get('b', 'value')).toBe('value');
});
