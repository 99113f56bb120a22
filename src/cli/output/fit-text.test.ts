import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, padText, padTextStart, widthOf } from './fit-text.ts';

test.each([
  ['hearth', 6, 'hearth'],
  ['hearth', 5, 'hear…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['👨‍👩‍👧 family', 4, '👨‍👩‍👧 …'],
  ['hearth', 1, '…'],
  ['hearth', 0, ''],
])('%j in %d columns is %j', (text, width, expected) => {
  expect(cutText(text, width)).toBe(expected);
});

test('truncated text never exceeds the width', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, width) => {
      expect(widthOf(cutText(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

test('padding counts columns, not characters', () => {
  expect(padText('日本', 6)).toBe('日本  ');
  expect(padTextStart('日本', 6)).toBe('  日本');
  expect(padText('too long', 2)).toBe('too long');
});
