import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyDecoder } from './key-decoder.ts';
import { type Key, press } from './keys.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function keysOf(text: string): Key[] {
  const decoder = createKeyDecoder();
  return [...decoder.decode(bytesOf(text)), ...decoder.settle()];
}

/** Joins adjacent texts, to compare inputs that were split differently. */
function joined(keys: readonly Key[]): Key[] {
  const result: Key[] = [];
  for (const key of keys) {
    const last = result.at(-1);
    if (key.type !== 'press' && last?.type === key.type)
      result[result.length - 1] = { ...key, text: last.text + key.text };
    else result.push(key);
  }
  return result;
}

describe('one key', () => {
  test.each([
    ['\x01', 'ctrl-a'],
    ['\x1a', 'ctrl-z'],
    ['\r', 'enter'],
    ['\n', 'newline'],
    ['\t', 'tab'],
    ['\x7f', 'backspace'],
    ['\x08', 'backspace'],
    ['\x1bb', 'alt-b'],
    ['\x1bF', 'alt-f'],
    ['\x1b\x7f', 'alt-backspace'],
    ['\x1b\r', 'alt-enter'],
    ['\x1b', 'escape'],
    ['\x1b[A', 'up'],
    ['\x1bOB', 'down'],
    ['\x1b[1;5C', 'ctrl-right'],
    ['\x1b[1;3D', 'alt-left'],
    ['\x1b[1;2C', 'right'],
    ['\x1b\x1b[D', 'alt-left'],
    ['\x1b[H', 'home'],
    ['\x1b[4~', 'end'],
    ['\x1b[3~', 'delete'],
    ['\x1b[3;5~', 'ctrl-delete'],
    ['\x1b[13;2u', 'newline'],
    ['\x1b[27;2;13~', 'newline'],
    ['\x1b[97;5u', 'ctrl-a'],
  ])('%j is %s', (text, name) => {
    expect(keysOf(text)).toEqual([press(name)]);
  });

  test.each([
    '\x1b[I',
    '\x1b[<0;10;10M',
    '\x1b]11;rgb:0/0/0\x07',
    '\x1bP1$r0m\x1b\\',
    '\x1b[?1;2c',
    '\x9b',
    '\x1b[99~',
  ])('%j is ignored', (text) => {
    expect(keysOf(`${text}x`)).toEqual([{ type: 'text', text: 'x' }]);
  });
});

test('a lone escape waits for further bytes', () => {
  const decoder = createKeyDecoder();
  expect(decoder.decode(bytesOf('\x1b'))).toEqual([]);
  expect(decoder.waiting).toBe(true);
  expect(decoder.settle()).toEqual([press('escape')]);
  expect(decoder.waiting).toBe(false);
});

test('a paste is one text with line breaks and without control characters', () => {
  expect(keysOf('a\x1b[200~one\rtwo\r\nthree\x1b[31m\x03\tfour\x1b[201~\r')).toEqual([
    { type: 'text', text: 'a' },
    { type: 'paste', text: 'one\ntwo\nthree[31m\tfour' },
    press('enter'),
  ]);
});

test('unterminated sequences are dropped', () => {
  const decoder = createKeyDecoder();
  const seen = (text: string): number => decoder.decode(bytesOf(text)).length;
  expect(seen(`\x1b]${'x'.repeat(100_000)}`)).toBe(0);
  expect(decoder.waiting).toBe(false);
  expect(seen(`\x1b[${'1;'.repeat(1000)}`)).toBe(0);
  expect(decoder.waiting).toBe(false);
});

const input = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\x1b[A',
        '\x1b[1;5D',
        '\x1bb',
        '\x01',
        '\r',
        '\x1bOH',
        '\x1b[200~pa\r\nst\x1be é\x1b[201~',
        '日本',
        '👩‍🚀',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

test('the keys do not depend on how the bytes are split', () => {
  fc.assert(
    fc.property(input, fc.array(fc.nat(64), { maxLength: 8 }), (text, cuts) => {
      const bytes = bytesOf(text);
      const decoder = createKeyDecoder();
      const positions = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort(
        (a, b) => a - b,
      );
      const keys = positions.flatMap((position, index) =>
        decoder.decode(bytes.subarray(position, positions[index + 1] ?? position)),
      );
      expect(joined([...keys, ...decoder.settle()])).toEqual(joined(keysOf(text)));
    }),
  );
});

test('arbitrary bytes never produce control characters', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (reads) => {
      const decoder = createKeyDecoder();
      const keys = reads.flatMap((bytes) => decoder.decode(bytes));
      for (const key of [...keys, ...decoder.settle()]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
        if (key.type !== 'press') expect(key.text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      }
    }),
  );
});
