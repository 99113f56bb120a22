import { expect, test } from 'vitest';
import { layOut } from './layout.ts';
import { toLine } from './line.ts';

function layOutText(text: string, columns: number, cursor = text.length) {
  const layout = layOut({ line: toLine(text, cursor), prompt: '>>> ', continuation: '... ', columns });
  return {
    rows: layout.rows.map((row) => row.prompt + row.text),
    cursor: [layout.cursorRow, layout.cursorColumn],
  };
}

test('an empty line is the prompt', () => {
  expect(layOutText('', 80)).toEqual({ rows: ['>>> '], cursor: [0, 4] });
});

test('long lines wrap, and the last column stays empty', () => {
  expect(layOutText('abcdefgh', 10)).toEqual({ rows: ['>>> abcde', 'fgh'], cursor: [1, 3] });
  expect(layOutText('abcde', 10)).toEqual({ rows: ['>>> abcde'], cursor: [0, 9] });
  expect(layOutText('abcdefgh', 10, 5)).toEqual({ rows: ['>>> abcde', 'fgh'], cursor: [1, 0] });
});

test('a wide character that does not fit moves to the next row', () => {
  expect(layOutText('abcd日本', 10)).toEqual({ rows: ['>>> abcd', '日本'], cursor: [1, 4] });
});

test('every line has a prompt', () => {
  expect(layOutText('a\n\nb', 80, 2)).toEqual({ rows: ['>>> a', '... ', '... b'], cursor: [1, 4] });
});

test('tabs and control characters count with the width of their representation', () => {
  expect(layOutText('\ta\x01', 80)).toEqual({ rows: ['>>>     a^A'], cursor: [0, 11] });
});

test('a very narrow terminal still shows the entire text', () => {
  expect(layOutText('abc', 3).rows.join('')).toContain('abc');
  expect(layOutText('日', 2).rows.join('')).toContain('日');
});
