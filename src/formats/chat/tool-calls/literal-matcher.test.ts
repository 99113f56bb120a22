import { expect, test } from 'vitest';
import { createLiteralMatcher, partial } from './literal-matcher.ts';

const matcher = createLiteralMatcher(['```', '```json', '<a>', '']);

test('waits for the longest literal', () => {
  expect(matcher.match('```json', 0, false)).toBe('```json');
  expect(matcher.match('```js', 0, false)).toBe(partial);
  expect(matcher.match('```js', 0, true)).toBe('```');
  expect(matcher.match('```jx', 0, false)).toBe('```');
  expect(matcher.match('', 0, false)).toBeUndefined();
});

test('finds the first literal or possible literal', () => {
  expect(matcher.find('x <b> <a>', 0, false)).toBe(6);
  expect(matcher.find('x <b> <', 0, false)).toBe(6);
  expect(matcher.find('x <b> <', 0, true)).toBe(7);
});
