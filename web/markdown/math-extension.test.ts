import { describe, expect, test } from 'vitest';
import { readBlockMath, readInlineMath } from './math-extension.ts';

describe('in a line', () => {
  test.each([
    ['$x^2$ and', 'x^2', false],
    ['\\(a+b\\) is', 'a+b', false],
    ['$$e = mc^2$$.', 'e = mc^2', true],
    ['\\[ a \\] b', 'a', true],
    ['$a\\$b$', 'a\\$b', false],
  ])('%s', (source, text, display) => {
    expect(readInlineMath(source)).toMatchObject({ text, display, closed: true });
  });

  test.each(['$5 and $6', '$5-$6', '$ x$', '$$', '$', '\\(a', '$a\n\nb$', 'x', '\\( \\)'])(
    '%j is no formula',
    (source) => {
      expect(readInlineMath(source)).toBeUndefined();
    },
  );
});

describe('as a block', () => {
  test.each([
    ['$$\nx\n$$\nnext', '$$\nx\n$$\n', 'x'],
    ['  \\[ x + y \\]  \n', '  \\[ x + y \\]  \n', 'x + y'],
    ['$$ x $$', '$$ x $$', 'x'],
    ['$$\na\n\nb\n$$', '$$\na\n\nb\n$$', 'a\n\nb'],
  ])('%j', (source, raw, text) => {
    expect(readBlockMath(source)).toEqual({ type: 'math', raw, text, display: true, closed: true });
  });

  test('a formula without its end takes the rest if its delimiter is alone on its line', () => {
    expect(readBlockMath('$$\na + ')).toMatchObject({ text: 'a +', closed: false });
    expect(readBlockMath('$$ a + ')).toBeUndefined();
  });

  test.each(['$$ x $$ and more', 'text', '$$$$', '    $$\nx\n$$'])('%j is none', (source) => {
    expect(readBlockMath(source)).toBeUndefined();
  });
});
