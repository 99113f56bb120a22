import { expect, test } from 'vitest';
import { formatAdapterScale, parseAdapterScale } from './adapter-scale.ts';

test.each([
  [0, { id: 0, scale: 1 }],
  ['3', { id: 3, scale: 1 }],
  ['1=0.5', { id: 1, scale: 0.5 }],
  ['1=-2', { id: 1, scale: -2 }],
  ['1=.25', { id: 1, scale: 0.25 }],
  [{ id: 2 }, { id: 2, scale: 1 }],
  [
    { id: 2, scale: 0 },
    { id: 2, scale: 0 },
  ],
])('%j', (given, expected) => {
  expect(parseAdapterScale(given)).toEqual(expected);
});

test.each([
  [-1],
  [1.5],
  [Number.NaN],
  [''],
  ['x'],
  ['1='],
  ['1=1e9'],
  ['1=2000'],
  [{}],
  [{ id: '1' }],
  [{ id: 1, scale: '1' }],
  [{ id: 1, scale: Number.NaN }],
  [null],
  [[0]],
])('%j is invalid', (given) => {
  expect(parseAdapterScale(given)).toBeUndefined();
});

test.each([1, 0.5, 0, -2, 1e-7, 1 / 3, 1000])('a scale of %d survives the text form', (scale) => {
  expect(parseAdapterScale(formatAdapterScale({ id: 3, scale }))).toEqual({ id: 3, scale });
});
