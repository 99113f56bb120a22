import { expect, test } from 'vitest';
import { createFindBound } from './find-bound.ts';

function setUp(numbers: readonly number[]) {
  const tries: number[] = [];
  const countFrom = (bound: number): number => {
    tries.push(bound);
    return numbers.filter((number) => number >= bound).length;
  };
  return { find: createFindBound(countFrom), tries, countFrom };
}

const wanted = { least: 40, most: 50 };

test.each([
  ['around zero', 0, 1],
  ['far above', 100, 1],
  ['far below', -100, 1],
  ['close to each other', 3, 0.001],
])('a bound is found for numbers %s', (_, center, width) => {
  const numbers = Array.from({ length: 2048 }, (__, index) => center + width * Math.sin(index * 1.7));
  const { find, countFrom, tries } = setUp(numbers);
  const count = countFrom(find(wanted));
  expect(count).toBeGreaterThanOrEqual(wanted.least);
  expect(count).toBeLessThanOrEqual(wanted.most);
  expect(tries.length).toBeLessThan(30);
});

test('the next search begins at the bound of the last one', () => {
  const { find, tries } = setUp(Array.from({ length: 2048 }, (_, index) => index));
  const bound = find(wanted);
  tries.length = 0;
  expect(find(wanted)).toBe(bound);
  expect(tries).toEqual([bound]);
});

test('without a good bound there are more numbers, and none if there are too few', () => {
  const { find, countFrom } = setUp([...new Array<number>(10).fill(2), ...new Array<number>(90).fill(1)]);
  expect(countFrom(find(wanted))).toBe(100);
  expect(setUp([1, 2, 3]).find(wanted)).toBeNaN();
  expect(setUp(new Array<number>(100).fill(Number.NEGATIVE_INFINITY)).find(wanted)).toBeNaN();
  expect(setUp(new Array<number>(100).fill(Number.NaN)).find(wanted)).toBeNaN();
});
