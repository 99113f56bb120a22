import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVirtualScreen } from '../../../../test/support/terminal/virtual-screen.ts';
import { layOut } from './layout.ts';
import { type Line, toLine } from './line.ts';
import { createLineView } from './line-view.ts';

function open(columns: number, rows = 10) {
  const screen = createVirtualScreen({ columns, rows });
  const view = createLineView({
    write: screen.write,
    size: () => ({ columns: screen.width(), rows }),
    dim: (text) => text,
  });
  const draw = (line: Line, hint = ''): void =>
    view.draw({ layout: layOut({ line, prompt: '>>> ', continuation: '... ', columns: screen.width() }), hint });
  return { screen, view, draw };
}

test('a hint follows the prompt and disappears with the first character', () => {
  const { screen, draw } = open(40);
  draw(toLine(''), 'Send a message');
  expect(screen.text()).toBe('>>> Send a message');
  expect(screen.cursor()).toEqual({ row: 0, column: 4 });
  draw(toLine('x'));
  expect(screen.text()).toBe('>>> x');
});

test('a hint is truncated to the width', () => {
  const { screen, draw } = open(10);
  draw(toLine(''), 'Send a message');
  expect(screen.text()).toBe('>>> Send');
});

test('a shorter line leaves no remains', () => {
  const { screen, draw } = open(12);
  screen.write('above\n');
  draw(toLine('one\ntwo two two two'));
  draw(toLine('one'));
  expect(screen.text()).toBe('above\n>>> one');
});

test('finish keeps the entire text, and further output follows below', () => {
  const { screen, view, draw } = open(12);
  draw(toLine('one two three\nfour', 2));
  view.finish();
  screen.write('answer');
  expect(screen.text()).toBe('>>> one two\n three\n... four\nanswer');
});

test('erase removes the text, and further output replaces it', () => {
  const { screen, view, draw } = open(12);
  screen.write('above\n');
  draw(toLine('one two three\nfour'));
  view.erase();
  screen.write('notice');
  expect(screen.text()).toBe('above\nnotice');
});

test('of a text longer than the screen, the part around the cursor is shown', () => {
  const { screen, draw } = open(20, 4);
  const text = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n');
  draw(toLine(text));
  expect(screen.text()).toBe('... line 5\n... line 6\n... line 7\n... line 8');
  draw(toLine(text, 0));
  expect(screen.text()).toBe('>>> line 0\n... line 1\n... line 2\n... line 3');
});

const texts = fc.string({ unit: fc.constantFrom(...'ab ', '日', '👩‍🚀', 'e\u0301', '\n'), maxLength: 40 });

test('the screen shows the last drawing after any sequence of drawings and widths', () => {
  const step = fc.record({ text: texts, cursor: fc.nat(40), columns: fc.integer({ min: 8, max: 30 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const { screen, view, draw } = open(20, 60);
      for (const { text, cursor, columns } of steps) {
        if (columns !== screen.width()) {
          screen.resize(columns);
          view.resized();
        }
        const line = toLine(text, cursor);
        draw(line);
        const layout = layOut({ line, prompt: '>>> ', continuation: '... ', columns });
        const rows = layout.rows.map((row) => (row.prompt + row.text).trimEnd());
        expect(screen.text()).toBe(rows.join('\n').trimEnd());
        expect(screen.cursor()).toEqual({ row: layout.cursorRow, column: layout.cursorColumn });
      }
    }),
  );
});
