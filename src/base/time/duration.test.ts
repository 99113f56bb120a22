import { describe, expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

const second = 1e9;

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['5m', 300 * second],
    ['1h30m', 5400 * second],
    ['2h45m10.5s', 9910.5 * second],
    ['300ms', 0.3 * second],
    ['-1.5h', -5400 * second],
    ['+10s', 10 * second],
    ['.5s', 0.5 * second],
    ['1.s', second],
    ['3us', 3000],
    ['3µs', 3000],
    ['3μs', 3000],
    ['7ns', 7],
  ])('%s is %d ns', (text, nanoseconds) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  test.each([
    ['', 'time: invalid duration ""'],
    ['abc', 'time: invalid duration "abc"'],
    ['-', 'time: invalid duration "-"'],
    ['.', 'time: invalid duration "."'],
    ['10', 'time: missing unit in duration "10"'],
    ['-1', 'time: missing unit in duration "-1"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1h5', 'time: missing unit in duration "1h5"'],
    ['5 m', 'time: unknown unit " m" in duration "5 m"'],
    ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
  ])("%j is rejected with Go's message", (text, message) => {
    expect(() => parseDuration(text)).toThrow(message);
  });
});
