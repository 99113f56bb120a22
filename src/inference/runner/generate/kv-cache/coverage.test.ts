import { expect, test } from 'vitest';
import { commonLength, continuesPrompt, isRedundant, longest, noOverlap, usableLength } from './coverage.ts';

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

test('isRedundant: the next turn of a long conversation provides the one before, without a mark in between', () => {
  const turn = (length: number, marks: readonly number[]) => ({
    tokens: Int32Array.from({ length }, (_, index) => index),
    marks: marks.map((mark) => ({ length: mark })),
    partition: '',
  });
  const before = turn(90, [10, 20, 30, 40, 50, 60, 70, 80]);
  expect(isRedundant(before, turn(110, [10, 20, 30, 60, 70, 80, 90, 100]), false)).toBe(true);
  expect(isRedundant(before, turn(110, [20, 30, 60, 70, 80, 90, 100]), false)).toBe(false);
  expect(isRedundant(before, turn(110, [10, 20, 30, 60, 70, 80, 100]), false)).toBe(false);
  expect(isRedundant(before, { ...turn(110, [10, 20, 30, 90]), partition: 'other' }, false)).toBe(false);
  expect(isRedundant(before, turn(110, []), true)).toBe(true);
});

test('longest and continuesPrompt: the next turn repeats the prompt, and not only a part of it', () => {
  const overlaps = [3, 9, 5].map((common) => ({ common, promptLength: 2 * common }));
  expect(longest(overlaps)).toEqual({ common: 9, promptLength: 18 });
  expect(longest([])).toEqual(noOverlap);
  const continues = [99, 100, 130].map((common) => continuesPrompt({ common, promptLength: 100 }));
  expect(continues).toEqual([false, true, true]);
  expect(continuesPrompt(noOverlap)).toBe(false);
});
