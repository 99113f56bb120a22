import { expect, test } from 'vitest';
import { isRepeating } from './runaway.ts';

const repeat = (text: string, times: number) => text.repeat(times);

test.each([
  [repeat('I am sorry about that.\n', 16), true],
  [repeat('I am sorry about that.\n', 15), false],
  [`Once upon a time.\n\n${repeat('A fox ran.\n\nA dog slept.\n', 16)}`, true],
  // An incomplete line may become another one.
  [`${repeat('I am sorry about that.\n', 16)}I am`, false],
  [repeat('}\n', 40), false],
  [Array.from({ length: 60 }, (_, index) => `${index}. another line\n`).join(''), false],
  ['', false],
])('%#: %s', (text, expected) => {
  expect(isRepeating(text)).toBe(expected);
});

test('a long answer takes time in proportion to its end', () => {
  expect(isRepeating(`${repeat('word ', 1_000_000)}\n`)).toBe(false);
});
