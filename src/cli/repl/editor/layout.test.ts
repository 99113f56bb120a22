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

test('in a terminal of a few columns everything is still there', () => {
  expect(lay('abc', 3).rows.join('')).toContain('abc');
  expect(lay('日', 2).rows.join('')).toContain('日');
});
