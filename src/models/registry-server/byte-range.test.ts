import { expect, it } from 'vitest';
import { parseByteRange } from './byte-range.ts';

it.each([
  [undefined, 'whole'],
  ['bytes=0-9', { first: 0, last: 9 }],
  ['Bytes=5-', { first: 5, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=90-1000', { first: 90, last: 99 }],
  ['bytes=99-99', { first: 99, last: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  // What cannot be understood is ignored.
  ['bytes=9-5', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=0x1-2', 'whole'],
  ['bytes=99999999999999999999-', 'whole'],
])('%s of a hundred bytes is %o', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range);
});

it('nothing of an empty file can be had', () => {
  expect(['bytes=0-', 'bytes=-1'].map((header) => parseByteRange(header, 0))).toEqual([
    'unsatisfiable',
    'unsatisfiable',
  ]);
});
