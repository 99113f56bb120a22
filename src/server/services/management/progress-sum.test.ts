import { expect, test } from 'vitest';
import type { ModelProgress } from './model-progress.ts';
import { addToSum, noSum } from './progress-sum.ts';

const sumOf = (...parts: readonly ModelProgress[]) => {
  const { status, total, completed } = parts.reduce(addToSum, noSum);
  return { status, total, completed };
};
const file = (digest: string, total: number, completed?: number): ModelProgress => ({
  status: `downloading ${digest}`,
  digest,
  total,
  completed,
});

test('the files of a pull are summed up, each with its last numbers', () => {
  const parts = [file('a', 100, 10), file('b', 50), file('a', 100, 100), { status: 'writing manifest' }];
  expect(sumOf(...parts)).toEqual({ status: 'writing manifest', total: 150, completed: 100 });
});

test('files that are unpacked are not added to the download', () => {
  const unpacking = { status: 'unpacking w.gguf', digest: 'w.gguf', total: 93, completed: 5 };
  expect(sumOf(file('pypi/x@1', 98, 98), unpacking)).toMatchObject({ total: 93, completed: 5 });
});

test('a registry that names endless files does not use endless memory', () => {
  const parts = Array.from({ length: 2000 }, (_, index) => file(String(index), 1));
  expect(parts.reduce(addToSum, noSum).files.size).toBe(1000);
});
