import { expect, test } from 'vitest';
import { toPairFrame } from './pair-frame.ts';

const none = { bos: -1, eos: -1, sep: -1, addsBos: false, addsEos: false, addsSep: false };

test.each([
  ['BERT', { bos: 101, sep: 102, addsBos: true, addsSep: true }, { head: [101], middle: [102], tail: [102] }],
  [
    'RoBERTa',
    { bos: 0, eos: 2, sep: 2, addsBos: true, addsEos: true, addsSep: true },
    { head: [0], middle: [2, 2], tail: [2] },
  ],
  ['an end without a token of its own', { sep: 3, addsEos: true }, { head: [], middle: [3], tail: [3] }],
  ['tokens that are not added', { bos: 1, eos: 2, sep: 3 }, { head: [], middle: [], tail: [] }],
  [
    'added tokens that do not exist',
    { addsBos: true, addsEos: true, addsSep: true },
    { head: [], middle: [], tail: [] },
  ],
])('%s', (_, tokens, frame) => {
  expect(toPairFrame({ ...none, ...tokens })).toEqual(frame);
});
