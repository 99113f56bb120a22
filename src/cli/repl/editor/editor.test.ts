import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EditorOutcome, type EditorState, pressKey, startEditor } from './editor.ts';
import { graphemesOf } from './graphemes.ts';
import { type Key, press } from './keys.ts';
import { layOut } from './layout.ts';

const history = ['first', 'second\nof two lines', 'third'];
const context = { history, isUnfinished: (text: string) => text.startsWith('"""') && !/.{3,}"""$/s.test(text) };

function type(...keys: (string | Key)[]): { state: EditorState; outcomes: EditorOutcome[] } {
  const outcomes: EditorOutcome[] = [];
  let state = startEditor(history);
  for (const key of keys) {
    const step = pressKey(state, typeof key === 'string' ? { type: 'text', text: key } : key, context);
    ({ state } = step);
    if (step.outcome) outcomes.push(step.outcome);
  }
  return { state, outcomes };
}

const presses = (...names: string[]): Key[] => names.map(press);
const shown = ({ line: { text, cursor } }: EditorState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('keys', () => {
  test.each([
    ['Ctrl-A and Ctrl-E', ['b', press('ctrl-a'), 'a', press('ctrl-e'), 'c'], 'abc|'],
    ['Ctrl-B and Ctrl-F', ['abc', ...presses('ctrl-b', 'ctrl-b', 'ctrl-f')], 'ab|c'],
    ['Ctrl-K then Ctrl-Y twice', ['abc', ...presses('left', 'ctrl-k', 'ctrl-y', 'ctrl-y')], 'abcc|'],
    ['Ctrl-U', ['one two', ...presses('alt-b', 'ctrl-u')], '|two'],
    ['Ctrl-W', ['ls a/b', press('ctrl-w')], 'ls |'],
    ['consecutive kills are joined', ['one two three', ...presses('ctrl-w', 'ctrl-w', 'ctrl-y')], 'one two three|'],
    ['another key separates kills', ['a b', ...presses('ctrl-w', 'left', 'ctrl-k', 'ctrl-y')], 'a |'],
    ['Alt-D', ['one two', ...presses('home', 'alt-d', 'ctrl-y')], 'one| two'],
    ['Alt-Backspace', ['one two.', press('alt-backspace')], 'one |'],
    ['Ctrl-arrows', ['one two', ...presses('ctrl-left', 'ctrl-left', 'ctrl-right')], 'one| two'],
    ['Delete and Backspace', ['abcd', ...presses('left', 'delete', 'backspace')], 'ab|'],
    ['Ctrl-D within a line', ['ab', ...presses('left', 'ctrl-d')], 'a|'],
    ['Ctrl-T', ['ab', press('ctrl-t')], 'ba|'],
    ['Tab does nothing', ['a', press('tab')], 'a|'],
    ['Alt-Enter adds a line', ['a', press('alt-enter'), 'b'], 'a\nb|'],
    [
      'Ctrl-K at the end of a line cuts the line break',
      ['a', press('newline'), 'b', ...presses('up', 'ctrl-k')],
      'a|b',
    ],
    ['a paste keeps its line breaks', [{ type: 'paste', text: 'a\nb' } as Key, 'c'], 'a\nbc|'],
  ])('%s', (_, keys, expected) => {
    expect(shown(type(...keys).state)).toBe(expected);
  });
});

describe('the history', () => {
  test.each([
    ['Up shows the last entry', presses('up'), 'third|'],
    ['a second Up shows the previous entry with the cursor at its end', presses('up', 'up'), 'second\nof two lines|'],
    ['Up moves within a multi-line entry first', presses('up', 'up', 'up'), 'second|\nof two lines'],
    ['and then to the previous entry', presses('up', 'up', 'up', 'up'), 'first|'],
    ['not before the first entry', presses('ctrl-p', 'ctrl-p', 'ctrl-p', 'ctrl-p', 'ctrl-p'), 'first|'],
    ['Down restores the new line', ['draft', ...presses('up', 'down')], 'draft|'],
    ['an edited entry is restored', [press('up'), '!', ...presses('down', 'up')], 'third!|'],
  ])('%s', (_, keys, expected) => {
    expect(shown(type(...keys).state)).toBe(expected);
  });

  test.each([
    ['finds an entry while typing', [press('ctrl-r'), 'ir', press('right')], 'third|'],
    ['finds an earlier entry with another Ctrl-R', [press('ctrl-r'), 'ir', ...presses('ctrl-r', 'right')], 'first|'],
    ['is cancelled by Escape', ['draft', press('ctrl-r'), 'ir', press('escape')], 'draft|'],
    ['without a match changes nothing', ['draft', press('ctrl-r'), 'xyz', press('right')], 'draft|'],
    [
      'searches again after Backspace',
      [press('ctrl-r'), 'secx', ...presses('backspace', 'end')],
      'second\nof two lines|',
    ],
  ])('Ctrl-R %s', (_, keys, expected) => {
    expect(shown(type(...keys).state)).toBe(expected);
  });

  test('Enter submits the entry that Ctrl-R found', () => {
    expect(type(press('ctrl-r'), 'fir', press('enter')).outcomes).toEqual([{ type: 'submit', text: 'first' }]);
  });
});

describe('outcomes', () => {
  test.each([
    ['Enter', ['hi', press('enter')], { type: 'submit', text: 'hi' }],
    ['Enter in the middle', ['hi', ...presses('left', 'enter')], { type: 'submit', text: 'hi' }],
    ['Ctrl-C', ['hi', press('ctrl-c')], { type: 'interrupt', text: 'hi' }],
    ['Ctrl-D on an empty line', presses('ctrl-d'), { type: 'exit' }],
    ['Ctrl-L', ['hi', press('ctrl-l')], { type: 'clear-screen' }],
    ['Ctrl-Z', presses('ctrl-z'), { type: 'suspend' }],
    ['three quotes', ['"""a', press('enter'), 'b"""', press('enter')], { type: 'submit', text: '"""a\nb"""' }],
  ])('%s', (_, keys, outcome) => {
    expect(type(...keys).outcomes).toEqual([outcome]);
  });
});

test('in seven columns, with a tab behind the prompt, the cursor is on the screen', () => {
  const { state } = type({ type: 'paste', text: '\tx' }, ...presses('left', 'alt-d'));
  const layout = layOut({ line: state.line, prompt: '>>> ', continuation: '... ', columns: 7 });
  expect(shown(state)).toBe('\t|');
  expect([layout.cursorRow, layout.cursorColumn]).toEqual([1, 4]);
});

const anyKey: fc.Arbitrary<Key> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).map((text): Key => ({ type: 'text', text })),
  fc
    .constantFrom('\u0301', '👨‍👩‍👧', '日本語', '\u200d', '🏽', 'a\nb\n', '\tx', '\u1100\u1100\u1100')
    .map((text): Key => ({ type: 'paste', text })),
  fc
    .constantFrom(
      ...['left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'delete', 'newline', 'enter', 'tab', 'escape'],
      ...['ctrl-k', 'ctrl-u', 'ctrl-w', 'ctrl-y', 'ctrl-t', 'ctrl-r', 'ctrl-d', 'ctrl-p', 'ctrl-n', 'ctrl-left'],
      ...['alt-b', 'alt-f', 'alt-d', 'alt-backspace', 'ctrl-right', 'ctrl-home', 'ctrl-end'],
    )
    .map(press),
);

test('after any keys, the cursor is on a grapheme boundary and the screen shows the text', () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 40 }), fc.integer({ min: 2, max: 30 }), (keys, columns) => {
      let state = startEditor(history);
      for (const key of keys) {
        ({ state } = pressKey(state, key, context));
        const { text, cursor } = state.line;
        expect(isBoundary(text, cursor)).toBe(true);
        const layout = layOut({ line: state.line, prompt: '>>> ', continuation: '... ', columns });
        const onScreen = layout.rows.map((row) => row.text).join('');
        expect(onScreen).toBe(text.replaceAll('\n', '').replaceAll('\t', '    '));
        expect(layout.cursorColumn).toBeLessThan(columns);
        for (const row of layout.rows) expect(row.width).toBeLessThan(Math.max(columns, 3));
      }
    }),
  );
});

function isBoundary(text: string, cursor: number): boolean {
  let index = 0;
  const boundaries = graphemesOf(text).map((grapheme) => (index += grapheme.length));
  return cursor === 0 || boundaries.includes(cursor);
}
