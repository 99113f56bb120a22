import { expect, test } from 'vitest';
import {
  emptyLine,
  insert,
  type Line,
  left,
  lineEnd,
  lineStart,
  maxLineLength,
  right,
  spaceWordStart,
  transpose,
  vertical,
  wordEnd,
  wordStart,
} from './line.ts';

const changes = { left, right, transpose };
const positions = { wordStart, wordEnd, spaceWordStart, lineStart, lineEnd };

/** The bar marks the cursor. */
function at(marked: string): Line {
  return { text: marked.replace('|', ''), cursor: marked.indexOf('|') };
}

function shown({ text, cursor }: Line): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test.each([
  ['left', 'a👨‍👩‍👧|b', 'a|👨‍👩‍👧b'],
  ['left', '|a', '|a'],
  ['right', 'a|é b', 'aé| b'],
  ['right', 'a|', 'a|'],
  ['transpose', 'ab|c', 'acb|'],
  ['transpose', 'abc|', 'acb|'],
  ['transpose', '|abc', '|abc'],
  ['transpose', 'a|', 'a|'],
  ['transpose', '日|本', '本日|'],
  ['transpose', 'x\n|ab', 'x\n|ab'],
] as const)('%s: %j → %j', (operation, before, after) => {
  expect(shown(changes[operation](at(before)))).toBe(after);
});

test.each([
  ['wordStart', 'one two|', 'one |two'],
  ['wordStart', 'one two  .|', 'one |two  .'],
  ['wordStart', 'naïve|', '|naïve'],
  ['wordEnd', 'one| two three', 'one two| three'],
  ['wordEnd', 'one|', 'one|'],
  ['spaceWordStart', 'ls a/b.png |', 'ls |a/b.png '],
  ['lineStart', 'a\nb c|', 'a\n|b c'],
  ['lineStart', '|\na', '|\na'],
  ['lineEnd', 'a|b\nc', 'ab|\nc'],
] as const)('%s: %j → %j', (operation, before, after) => {
  const line = at(before);
  expect(shown({ text: line.text, cursor: positions[operation](line) })).toBe(after);
});

test.each([
  [-1, 'abc\nde|f', 'ab|c\ndef'],
  [-1, 'a\ndef|', 'a|\ndef'],
  [-1, '日本語\nab|', '日本|語\nab'],
  [1, 'ab|c\nd', 'abc\nd|'],
  [1, '|\n', '\n|'],
  [-1, '\n|', '|\n'],
] as const)('vertical %d: %j → %j', (direction, before, after) => {
  expect(shown(vertical(at(before), direction) as Line)).toBe(after);
});

test('there is nothing above the first line or below the last', () => {
  expect(vertical(at('a|b'), -1)).toBeUndefined();
  expect(vertical(at('a|b'), 1)).toBeUndefined();
});

test('a combining mark joins the previous character, and the cursor moves after both', () => {
  expect(insert({ text: 'e', cursor: 1 }, '\u0301')).toEqual({ text: 'e\u0301', cursor: 2 });
});

test('a line that exceeds the maximum is truncated between two characters', () => {
  const line = insert(emptyLine, '👍'.repeat(maxLineLength));
  expect(line.text.length).toBeLessThanOrEqual(maxLineLength);
  expect(line.text).toBe('👍'.repeat(line.text.length / 2));
  expect(insert(line, 'more')).toEqual(line);
});
