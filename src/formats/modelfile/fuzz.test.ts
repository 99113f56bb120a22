// More than 100,000 hostile files: each is refused with a HearthError, or parsed and printed again. Texts are compared
// with a second, character-by-character implementation of the quoting rules.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { thoroughly } from '../../../test/support/thorough.ts';
import { HearthError } from '../../base/errors.ts';
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

/** Parses a file and prints the result. */
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
  ['tokens of the format', soup.map((text) => `from x\n${text}`), thoroughly(60_000, 15_000)],
  ['tokens without a FROM line', soup, thoroughly(20_000, 5000)],
  ['bytes', bytes, thoroughly(20_000, 5000)],
  ['bytes after a byte order mark', marked, thoroughly(20_000, 5000)],
])('%s', { timeout: 60_000 }, (_, source: fc.Arbitrary<string | Uint8Array>, numRuns) => {
  const possible = ['read', 'bad_request'];
  fc.assert(
    fc.property(source, (file) => possible.includes(outcomeOf(file))),
    { numRuns },
  );
});

/** The value at the start of the text, parsed character by character; undefined if the file ends in it. */
function parseByCharacter(text: string): string | undefined {
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

test('texts follow the quoting rules', { timeout: 60_000 }, () => {
  const written = fc.array(fc.constantFrom('"', '""', '"""', '\n', '\r\n', ' ', '\t', 'a', '#'), { maxLength: 14 });
  fc.assert(
    fc.property(written, (list) => {
      const text = list.join('');
      const value = parseByCharacter(text);
      // Ignores what follows the text.
      const input = value === undefined ? text : cutAfter(text, value);
      return readByParser(input) === value;
    }),
    { numRuns: thoroughly(20_000, 5000) },
  );
});

/** The shortest prefix of complete lines that contains the value. */
function cutAfter(text: string, value: string): string {
  for (const { index } of text.matchAll(/[\r\n]/g)) {
    const part = text.slice(0, index);
    if (parseByCharacter(part) === value) return part;
  }
  return text;
}
