import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSystemError } from './system-error.ts';

function failureOf(path: string): unknown {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
}

test.each([
  ['/nowhere/at/all', 'no such file'],
  ['/', 'it is a folder'],
  ['/dev/null/x', 'a part of the path is a file, not a folder'],
])('reading %s: %s', (path, reason) => {
  expect(describeSystemError(failureOf(path))).toBe(reason);
});

test('other errors keep their message', () => {
  expect(describeSystemError(new Error('unusual'))).toBe('unusual');
});
