import { expect, test } from 'vitest';
import { withoutTrailing } from './without-trailing.ts';

test.each([
  ['/a//', 'x', '/a//'],
  ['/a//', '/', '/a'],
  ['//', '/', ''],
  ['', '/', ''],
])('%j without %j at its end is %j', (text, character, expected) => {
  expect(withoutTrailing(text, new RegExp(character))).toBe(expected);
});
