import { expect, test } from 'vitest';
import { measureJson } from './tasks.ts';

test.each([
  ['', 4],
  ['abc', 7],
  [[1, null, true], 16],
  [{ ab: 'cd' }, 12],
])('%j', (value, size) => {
  expect(measureJson(value)).toBe(size);
});

test('a deeply nested value does not overflow the stack', () => {
  let value: unknown = 1;
  for (let level = 0; level < 100_000; level++) value = [value];
  expect(measureJson(value)).toBe(400_004);
});
