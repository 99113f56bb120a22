import { expect, it } from 'vitest';
import { parseRangeHeader } from './range-header.ts';

it.each([
  [undefined, 'full'],
  ['bytes=0-9', { first: 0, last: 9 }],
  ['Bytes=5-', { first: 5, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=90-1000', { first: 90, last: 99 }],
  ['bytes=99-99', { first: 99, last: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  // Invalid and unsupported ranges are ignored.
  ['bytes=9-5', 'full'],
  ['bytes=-', 'full'],
  ['bytes=0-1,5-6', 'full'],
  ['lines=0-1', 'full'],
  ['bytes=0x1-2', 'full'],
  ['bytes=99999999999999999999-', 'full'],
])('%s of a hundred bytes is %o', (header, range) => {
  expect(parseRangeHeader(header, 100)).toEqual(range);
});

it('no range of an empty file is satisfiable', () => {
  expect(['bytes=0-', 'bytes=-1'].map((header) => parseRangeHeader(header, 0))).toEqual([
    'unsatisfiable',
    'unsatisfiable',
  ]);
});
