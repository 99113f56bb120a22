// Hostile files, a six-figure number of them: whatever they hold, they are refused with an error of the catalogue, or
// read and can be printed again; and a text is what the rule says that it is, applied letter by letter.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HearthError } from '../kernel/errors.ts';
import { parametersOf } from './parameters.ts';
import { parseModelfile } from './parse-modelfile.ts';
import { printModelfile } from './print-modelfile.ts';

const scraps = [
  ...['FROM', 'from x\n', 'SYSTEM', 'PARAMETER', 'MESSAGE', 'TEMPLATE ', 'LICENSE ', 'REQUIRES', 'COLOUR', 'user'],
  ...['stop', 'num_ctx', 'temperature', 'use_mmap', '__proto__', '4096', '0.5', '1e999', 'true', '-', '9'.repeat(20)],
  ...[' ', ' ', '\t', '\n', '\n', '\r\n', '\r', '#', '"', '"""', 'é', '\ufeff', '\u200d', '\0', '\ud83d', 'x'],
];
const soup = fc.array(fc.constantFrom(...scraps), { maxLength: 24 }).map((list) => list.join(''));
const bytes = fc.uint8Array({ maxLength: 64 });
const marked = fc
  .tuple(fc.constantFrom([0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf]), bytes)
  .map(([mark, rest]) => Uint8Array.from([...mark, ...rest]));

/** What becomes of a file, and of what was read from it. */
function outcomeOf(source: string | Uint8Array): string {
  try {
    const modelfile = parseModelfile(source);
    const again = parseModelfile(printModelfile(modelfile));
    if (!isDeepStrictEqual(again.commands, modelfile.commands)) return 'printed wrongly';
    parametersOf(modelfile);
    return 'read';
  } catch (error) {
    return error instanceof HearthError ? error.code : String(error);
  }
}

test.each([
  ['words and signs of the format', soup.map((text) => `from x\n${text}`), 60_000],
  ['the same without a beginning', soup, 20_000],
  ['bytes', bytes, 20_000],
  ['bytes after a mark', marked, 20_000],
])('%s', (_, source: fc.Arbitrary<string | Uint8Array>, numRuns) => {
  const possible = ['read', 'bad_request'];
  fc.assert(
    fc.property(source, (file) => possible.includes(outcomeOf(file))),
    { numRuns },
  );
});

/** The value that begins the text, read a character at a time; undefined where the file ends in it. */
function readByTheLetter(text: string): string | undefined {
  let buffer = '';
  for (const character of `${text}\n`) {
    const value = unquote(buffer.trim());
    if (/[\r\n]/.test(character) && value !== undefined) return value;
    buffer += character;
  }
  return undefined;
}

function unquote(text: string): string | undefined {
  for (const quote of ['"""', '"']) {
    if (!text.startsWith(quote)) continue;
    return text.length >= 2 * quote.length && text.endsWith(quote)
      ? text.slice(quote.length, -quote.length)
      : undefined;
  }
  return text;
}

function readByParser(text: string): string | undefined {
  try {
    const [, command] = parseModelfile(`FROM x\nSYSTEM ${text}`).commands;
    return command?.kind === 'system' ? command.value : undefined;
  } catch (error) {
    expect(error).toMatchObject({ message: '(line 2): unexpected EOF' });
    return undefined;
  }
}

test('texts are what the rule says', () => {
  const written = fc.array(fc.constantFrom('"', '""', '"""', '\n', '\r\n', ' ', '\t', 'a', '#'), { maxLength: 14 });
  fc.assert(
    fc.property(written, (list) => {
      const text = list.join('');
      const value = readByTheLetter(text);
      // What follows a text that ends before the file does is no subject here.
      const whole = value === undefined ? text : cutAfter(text, value);
      return readByParser(whole) === value;
    }),
    { numRuns: 20_000 },
  );
});

/** The shortest beginning, up to a newline, from which the value can be read. */
function cutAfter(text: string, value: string): string {
  for (const { index } of text.matchAll(/[\r\n]/g)) {
    const part = text.slice(0, index);
    if (readByTheLetter(part) === value) return part;
  }
  return text;
}
