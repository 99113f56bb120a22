import { expect, test } from 'vitest';
import { titleFrom } from './chat-document.ts';

test.each([
  ['  What is 2 + 2?\nPlease.', 'What is 2 + 2?'],
  ['', ''],
  [`${'word '.repeat(30)}`, `${'word '.repeat(11)}word…`],
  ['x'.repeat(100), `${'x'.repeat(60)}…`],
])('the title of %j', (text, title) => {
  expect(titleFrom(text)).toBe(title);
});
