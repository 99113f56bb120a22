import { expect, test } from 'vitest';
import { insertWords } from './insert-words.ts';

test.each([
  ['|', 'said|'],
  ['Before|', 'Before said|'],
  ['Before |', 'Before said|'],
  ['|after', 'said |after'],
  ['One |three', 'One said |three'],
  ['One|, three', 'One said|, three'],
  ['Line\n|', 'Line\nsaid|'],
])('%j becomes %j', (before, after) => {
  const start = before.indexOf('|');
  const { text, cursor } = insertWords(before.replace('|', ''), { start, end: start }, 'said');
  expect(`${text.slice(0, cursor)}|${text.slice(cursor)}`).toBe(after);
});

test('what is selected is replaced', () => {
  expect(insertWords('One two three', { start: 4, end: 7 }, 'said')).toEqual({ text: 'One said three', cursor: 8 });
});
