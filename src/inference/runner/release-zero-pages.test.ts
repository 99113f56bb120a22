import { expect, test } from 'vitest';
import { addedRanges, parseRanges } from './release-zero-pages.ts';

test('only private writable memory without a file counts', () => {
  const maps = [
    '55d0c0000000-55d0c0100000 r--p 00000000 08:01 123                        /usr/bin/node',
    '7f0000000000-7f0060000000 rw-p 00000000 00:00 0 ',
    '7f0070000000-7f0071000000 rw-s 00000000 00:01 9                          /dev/shm/x',
    '7f0080000000-7f0081000000 ---p 00000000 00:00 0 ',
    '7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]',
    '',
  ].join('\n');
  expect(parseRanges(maps)).toEqual([{ start: 0x7f0000000000n, end: 0x7f0060000000n }]);
});

const range = (start: number, end: number) => ({ start: BigInt(start), end: BigInt(end) });

test.each([
  ['a new range', [], [[10, 20]], [[10, 20]]],
  ['an unchanged one', [[10, 20]], [[10, 20]], []],
  [
    'one that grew at both ends',
    [[12, 18]],
    [[10, 20]],
    [
      [10, 12],
      [18, 20],
    ],
  ],
  [
    'two that were joined',
    [
      [10, 12],
      [15, 20],
    ],
    [[10, 20]],
    [[12, 15]],
  ],
  ['one that shrank', [[10, 30]], [[12, 20]], []],
])('%s', (_, before, after, expected) => {
  const toRanges = (list: number[][]) => list.map(([start = 0, end = 0]) => range(start, end));
  expect(addedRanges(toRanges(before), toRanges(after))).toEqual(toRanges(expected));
});
