import { expect, test } from 'vitest';
import { commonLength, usableLength } from './coverage.ts';

test('commonLength', () => {
  expect(commonLength([1, 2, 3], [1, 2, 4])).toBe(2);
  expect(commonLength([], [1])).toBe(0);
  expect(commonLength([1, 2], [1, 2, 3])).toBe(2);
});

test('usableLength: any token, or the whole copy, or a mark', () => {
  const source = { tokens: { length: 10 }, marks: [{ length: 3 }, { length: 7 }] };
  const lengths = [0, 2, 3, 6, 9, 10, 12];
  expect(lengths.map((common) => usableLength(common, source, true))).toEqual([0, 2, 3, 6, 9, 10, 10]);
  expect(lengths.map((common) => usableLength(common, source, false))).toEqual([0, 0, 3, 3, 7, 10, 10]);
});
