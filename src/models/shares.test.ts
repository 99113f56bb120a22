import { expect, test } from 'vitest';
import { formatShares, parseShares } from './shares.ts';

test.each<[unknown, number[]]>([
  ['3,1', [3, 1]],
  ['1', [1]],
  ['0,1', [0, 1]],
  ['0.25,0.75', [0.25, 0.75]],
  [
    [3, 1],
    [3, 1],
  ],
  [[0.000_001], [0.000_001]],
])('%j is valid', (value, expected) => {
  expect(parseShares(value)).toEqual(expected);
});

test.each<[unknown]>([
  [''],
  ['0'],
  ['0,0'],
  ['3;1'],
  ['3, 1'],
  ['-1,2'],
  ['1e3'],
  ['99999999'],
  [[]],
  [[0]],
  [[-1, 2]],
  [[Number.NaN]],
  [[Number.POSITIVE_INFINITY]],
  [['3']],
  [new Array(17).fill(1)],
  [3],
  [null],
])('%j is not', (value) => {
  expect(parseShares(value)).toBeUndefined();
});

test('the text form can be read again', () => {
  const shares = [3, 0.5, 0.000_001];
  expect(parseShares(formatShares(shares))).toEqual(shares);
});
