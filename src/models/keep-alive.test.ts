import { expect, test } from 'vitest';
import { parseKeepAlive } from './keep-alive.ts';

test.each([
  [0, 0],
  [30, 30_000],
  [0.5, 500],
  [-1, Number.POSITIVE_INFINITY],
  ['5m', 300_000],
  ['300ms', 300],
  ['0', 0],
  ['0s', 0],
  ['-1m', Number.POSITIVE_INFINITY],
  [1e300, Number.POSITIVE_INFINITY],
  [9.3e9, Number.POSITIVE_INFINITY],
  [`${'9'.repeat(400)}h`, Number.POSITIVE_INFINITY],
  [9.2e9, 9.2e12],
])('%j is %d ms', (value, milliseconds) => {
  expect(parseKeepAlive(value)).toBe(milliseconds);
});

test.each([
  ['10', 'time: missing unit in duration "10"'],
  ['-1', 'time: missing unit in duration "-1"'],
  ['', 'time: invalid duration ""'],
  [true, 'not a boolean'],
  [{}, 'not an object'],
  [[1], 'not a list'],
])('%j is rejected', (value, message) => {
  expect(() => parseKeepAlive(value)).toThrow(message);
});
