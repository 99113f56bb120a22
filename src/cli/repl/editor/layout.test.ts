import { expect, test } from 'vitest';
import { layOut } from './layout.ts';
import { toLine } from './line.ts';

function lay(text: string, columns: number, cursor = text.length) {
  const layout = layOut({ line: toLine(text, cursor), prompt: '>>> ', continuation: '... ', columns });
  return {
    rows: layout.rows.map((row) => row.prompt + row.text),
    cursor: [layout.cursorRow, layout.cursorColumn],
  };
}

test('an empty line is the prompt', () => {
  expect(lay('', 80)).toEqual({ rows: ['>>> '], cursor: [0, 4] });
});

test('what does not fit goes on below, and the last column stays free', () => {
  expect(lay('abcdefgh', 10)).toEqual({ rows: ['>>> abcde', 'fgh'], cursor: [1, 3] });
  expect(lay('abcde', 10)).toEqual({ rows: ['>>> abcde'], cursor: [0, 9] });
  expect(lay('abcdefgh', 10, 5)).toEqual({ rows: ['>>> abcde', 'fgh'], cursor: [1, 0] });
});

test('a wide character that does not fit goes to the next row whole', () => {
  expect(lay('abcd日本', 10)).toEqual({ rows: ['>>> abcd', '日本'], cursor: [1, 4] });
});

test('every line has a prompt', () => {
  expect(lay('a\n\nb', 80, 2)).toEqual({ rows: ['>>> a', '... ', '... b'], cursor: [1, 4] });
});

test('tabs and control characters take the room that they are shown in', () => {
  expect(lay('\ta\x01', 80)).toEqual({ rows: ['>>>     a^A'], cursor: [0, 11] });
});

test('a tab that does not fit behind the prompt goes to the next row', () => {
  expect(lay('\t', 7, 0)).toEqual({ rows: ['>>> ', '    '], cursor: [1, 0] });
  expect(lay('\t', 7)).toEqual({ rows: ['>>> ', '    '], cursor: [1, 4] });
  expect(lay('\t', 9)).toEqual({ rows: ['>>>     '], cursor: [0, 8] });
});

test('what is wider than a row is split over rows', () => {
  expect(lay('\tx', 4)).toEqual({ rows: ['>  ', '  x'], cursor: [1, 3] });
  const jamo = '\u1100'.repeat(5);
  const rows = ['>>> \u1100', '\u1100\u1100\u1100', '\u1100x'];
  expect(lay(`${jamo}x`, 7, jamo.length)).toEqual({ rows, cursor: [2, 2] });
});

test('the cursor stays within the terminal, where a wide character fills its row too', () => {
  expect(lay('日', 2)).toEqual({ rows: ['日'], cursor: [0, 1] });
});

test('in a terminal of a few columns everything is still there', () => {
  expect(lay('abc', 3).rows.join('')).toContain('abc');
  expect(lay('日', 2).rows.join('')).toContain('日');
});
