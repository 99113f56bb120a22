import { expect, test } from 'vitest';
import { decideParallel } from './decide-parallel.ts';

const mib = 2 ** 20;

test.each([
  ['8 if their caches are small', 0, 16, 1024, 8],
  ['4 if they are larger', 0, 143, 1024, 4],
  ['4 if the room allows it', 0, 512, 2048, 4],
  ['2', 0, 512, 1500, 2],
  ['1', 0, 4096, 2048, 1],
  ['fewer than 8 if even small caches do not fit', 0, 16, 100, 4],
  ['as many as requested', 3, 4096, 1, 3],
  ['at most 64', 1000, 1, 1, 64],
])('%s', (_, requested, megabytes, room, expected) => {
  expect(decideParallel(requested, megabytes * mib, room * mib)).toBe(expected);
});
