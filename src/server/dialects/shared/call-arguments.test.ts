import { expect, test } from 'vitest';
import { createReadArguments } from './model-input.ts';

test.each([
  [{ a: 1 }, { a: 1 }],
  ['{"a":1}', { a: 1 }],
  ['[1]', undefined],
  ['{', undefined],
  [[1], undefined],
  [null, undefined],
])('%j', (given, expected) => {
  expect(createReadArguments()(given)).toEqual(expected);
});

test('the texts of one request have a common limit of values', () => {
  const read = createReadArguments();
  const text = `{"a":[${'{},'.repeat(12_000)}{}]}`;
  expect(read(text)).toBeDefined();
  expect(read(text)).toBeDefined();
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'body_too_large' }));
});

test('and of characters', () => {
  const read = createReadArguments();
  const text = JSON.stringify({ a: 'x'.repeat(5 * 2 ** 20) });
  expect(read(text)).toBeDefined();
  expect(() => read(text)).toThrow('characters of arguments');
});
