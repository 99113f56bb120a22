import { expect, test } from 'vitest';
import { decideParallel } from './decide-parallel.ts';

test('the number of parallel requests depends on the size of their KV cache', () => {
  const mib = 2 ** 20;
  expect(decideParallel(0, 16 * mib)).toBe(8);
  expect(decideParallel(0, 143 * mib)).toBe(4);
  expect(decideParallel(0, 512 * mib, 2048 * mib)).toBe(4);
  expect(decideParallel(0, 512 * mib, 1500 * mib)).toBe(2);
  expect(decideParallel(0, 512 * mib)).toBe(2);
  expect(decideParallel(0, 4096 * mib)).toBe(1);
  expect(decideParallel(3, 4096 * mib)).toBe(3);
  expect(decideParallel(1000, 1)).toBe(64);
});
