import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { createWordWrap, wrapText } from './word-wrap.ts';

/** The text on the screen after the only control sequence that the wrap writes is applied. */
function screenOf(written: string): string {
  let screen = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are parsed
  for (const part of written.split(/(\x1b\[\d+D\x1b\[K)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    const columns = /^\x1b\[(\d+)D/.exec(part)?.[1];
    if (columns === undefined) screen += part;
    else screen = eraseColumns(screen, Number(columns));
  }
  return screen;
}

function eraseColumns(screen: string, columns: number): string {
  let end = screen.length;
  while (stringWidth(screen.slice(end)) < columns) end--;
  return screen.slice(0, end);
}

function wrap(pieces: readonly string[], columns: number): string {
  const wrapping = createWordWrap(() => columns);
  return screenOf(pieces.map((piece) => wrapping.push(piece)).join('') + wrapping.flush());
}

describe('a line', () => {
  test.each([
    ['breaks between words', ['the quick brown fox'], 11, 'the quick \nbrown fox'],
    ['moves an incomplete word to the next line', ['the qu', 'ick br', 'own'], 12, 'the quick \nbrown'],
    ['keeps line breaks of the text', ['a\n\nb c'], 40, 'a\n\nb c'],
    ['does not break twice at a full line', ['abcd\nefgh'], 5, 'abcd\nefgh'],
    ['drops spaces that do not fit', ['abcd   efgh'], 5, 'abcd\nefgh'],
    ['keeps indentation', ['a:\n  b'], 40, 'a:\n  b'],
    ['breaks a word that is longer than the line', ['abcdefghij'], 5, 'abcd\nefgh\nij'],
    ['breaks between wide characters', ['日本語日本'], 6, '日本\n語日\n本'],
    ['never splits a wide character', ['a日本'], 5, 'a日\n本'],
    ['counts a grapheme of several code points once', ['👨‍', '👩‍', '👧 ab cd'], 6, '👨‍👩‍👧 ab\ncd'],
    ['does not count colors', ['\x1b[1', 'mab\x1b[0m cd'], 6, '\x1b[1mab\x1b[0m cd'],
  ])('%s', (_, pieces, columns, expected) => {
    expect(wrap(pieces, columns)).toBe(expected);
  });

  test('is written immediately: ASCII is not held back', () => {
    expect(createWordWrap(() => 80).push('Hel')).toBe('Hel');
  });

  test('follows a resized window', () => {
    let columns = 80;
    const wrapping = createWordWrap(() => columns);
    const written = wrapping.push('one two ');
    columns = 10;
    expect(screenOf(written + wrapping.push('three'))).toBe('one two \nthree');
  });
});

test('a complete text is wrapped without erasing anything', () => {
  expect(wrapText('the quick brown fox jumps', 12)).toBe('the quick \nbrown fox \njumps');
});

const words = fc.string({
  unit: fc.constantFrom(...'abcxyz.,é日本語👍', 'e\u0301', '👩‍🚀'),
  minLength: 1,
  maxLength: 12,
});
const texts = fc
  .array(fc.tuple(words, fc.constantFrom(' ', ' ', ' ', '\n', '  ')), { maxLength: 20 })
  .map((parts) => parts.flat().join(''));

function splitAt(text: string, positions: readonly number[]): string[] {
  const characters = [...text];
  const cuts = [
    0,
    ...positions.map((position) => position % (characters.length + 1)).sort((a, b) => a - b),
    characters.length,
  ];
  return cuts.slice(1).map((end, index) => characters.slice(cuts[index], end).join(''));
}

test('the words are unchanged and no line is too wide, for any split and any width', () => {
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.nat(300), { maxLength: 10 }),
      fc.integer({ min: 3, max: 40 }),
      (text, positions, columns) => {
        const shown = wrap(splitAt(text, positions), columns);
        expect(shown.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThan(columns);
      },
    ),
  );
});

test('a word that fits on a line is never broken', () => {
  const narrow = fc.string({ unit: fc.constantFrom(...'abcxyz.,é'), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(
      fc.array(narrow, { maxLength: 30 }),
      fc.array(fc.nat(300), { maxLength: 10 }),
      fc.integer({ min: 10, max: 40 }),
      (list, positions, columns) => {
        const shown = wrap(splitAt(list.join(' '), positions), columns);
        expect(shown.split(/\s+/).filter((word) => word !== '')).toEqual(list);
      },
    ),
  );
});
