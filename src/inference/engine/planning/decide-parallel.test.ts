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
  ['at most 256', 1000, 1, 1, 256],
])('on a CPU: %s', (_, requested, megabytes, room, expected) => {
  expect(decideParallel(requested, { bytesPerSequence: megabytes * mib, room: room * mib, onGpu: false })).toBe(
    expected,
  );
});

test.each([
  ['256 if they fit', 0, 128, 35_000, 256],
  ['as many as fit', 0, 1024, 35_000, 34],
  ['one at least', 0, 4096, 1024, 1],
  ['as many as requested', 3, 4096, 1, 3],
])('on a GPU: %s', (_, requested, megabytes, room, expected) => {
  expect(decideParallel(requested, { bytesPerSequence: megabytes * mib, room: room * mib, onGpu: true })).toBe(
    expected,
  );
});
