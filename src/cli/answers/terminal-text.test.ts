import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTerminalText, toTerminalText } from './terminal-text.ts';

test.each([
  ['plain\ttext\n', 'plain\ttext\n'],
  ['日本 👍', '日本 👍'],
  ['\x1b[31mred\x1b[0m', '\x1b[31mred\x1b[0m\x1b[0m'],
  ['\x1b]0;title\x07', ']0;title'],
  ['\x1b[2J\x1b[H', '[2J[H'],
  ['a\rb\x08\x9b31m', 'ab31m'],
  ['end\x1b', 'end'],
])('%j becomes %j', (text, expected) => {
  expect(toTerminalText(text)).toBe(expected);
});

test('a color sequence split across pieces is kept', () => {
  const filter = createTerminalText();
  expect(['a\x1b', '[3', '1mb', '\x1b[0', 'mc'].map((piece) => filter.push(piece)).join('')).toBe('a\x1b[31mb\x1b[0mc');
});

test('only color sequences remain, however the text is split', () => {
  const piece = fc.string({ unit: fc.constantFrom('\x1b', '[', '3', ';', 'm', 'J', ']', '\x07', '\x9b', 'a', '\n') });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const filter = createTerminalText();
      const written = pieces.map((text) => filter.push(text)).join('') + filter.end();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
      expect(written.replace(/\x1b\[[0-9;:]*m/g, '')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});
