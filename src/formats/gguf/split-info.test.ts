import { expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import type { GgufValue } from './metadata.ts';
import { splitInfoOf } from './split-info.ts';

const infoOf = (entries: Record<string, GgufValue>) => splitInfoOf({ metadata: new Map(Object.entries(entries)) });

test('reads the number and count of a part', () => {
  const entries = { 'split.no': 2, 'split.count': 3, 'split.tensors.count': 70 };
  expect(infoOf(entries)).toEqual({ number: 2, count: 3, tensors: 70 });
});

test.each<Record<string, GgufValue>>([{}, { 'split.count': 0 }, { 'split.count': 1, 'split.no': 0 }])(
  '%o is a model in one file',
  (entries) => {
    expect(infoOf(entries)).toBeUndefined();
  },
);

test.each([
  [{ 'split.count': 3 }, 'split.no is not a number'],
  [{ 'split.count': 3, 'split.no': 1 }, 'split.tensors.count is not a number'],
  [{ 'split.count': 3, 'split.no': 3, 'split.tensors.count': 1 }, 'split.no is 3'],
  [{ 'split.count': 3, 'split.no': 0.5, 'split.tensors.count': 1 }, 'split.no is 0.5'],
  [{ 'split.count': 3, 'split.no': 1, 'split.tensors.count': -1 }, 'split.tensors.count is -1'],
  [{ 'split.count': 3, 'split.no': 1, 'split.tensors.count': 2 ** 31 }, 'split.tensors.count is'],
  [{ 'split.count': 70_000 }, 'split.count is 70000'],
  [{ 'split.count': -1 }, 'split.count is -1'],
  [{ 'split.count': Number.NaN }, 'split.count is NaN'],
  [{ 'split.count': 2n ** 60n }, 'split.count is not a number'],
  [{ 'split.count': '3' }, 'split.count is not a number'],
  [{ 'split.count': [3] }, 'split.count is not a number'],
])('%o is refused', (entries, message) => {
  expect(() => infoOf(entries)).toThrow(HearthError);
  expect(() => infoOf(entries)).toThrow(message);
});
