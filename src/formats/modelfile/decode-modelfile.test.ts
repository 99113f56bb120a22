import { expect, test } from 'vitest';
import { decodeModelfile, dropIgnored, findIgnored } from './decode-modelfile.ts';
import { limits } from './modelfile.ts';

const text = 'FROM ember\r\nSYSTEM Grüße, 中 👍\r\n';

function utf16(order: 'le' | 'be', content: string): Uint8Array {
  const bytes = Buffer.from(`\ufeff${content}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16, low byte first', utf16('le', text)],
  ['UTF-16, high byte first', utf16('be', text)],
])('%s is read', (_, bytes) => {
  expect(decodeModelfile(bytes)).toBe(text);
});

test.each([
  ['bytes that are no UTF-8', [0x61, 0xff, 0x62], 'a\ufffdb'],
  ['half a UTF-16 character', [0xff, 0xfe, 0x61, 0x00, 0x62], 'a\ufffd'],
  ['a mark and nothing else', [0xff, 0xfe], ''],
  ['half a mark', [0xff], '\ufffd'],
  ['nothing', [], ''],
])('%s', (_, bytes, expected) => {
  expect(decodeModelfile(Uint8Array.from(bytes))).toBe(expected);
});

test('what is not printable is dropped, blanks and newlines are not', () => {
  expect(dropIgnored('\ufeffa\0b\u00a0c\u200dd\u2028e\x7f\ue000\ud800f \t\r\n')).toBe('abcdef \t\r\n');
  expect(dropIgnored('é e\u0301 中 👍 €½«»')).toBe('é e\u0301 中 👍 €½«»');
});

test.each([
  ['a\u200db', 'U+200D'],
  ['\0', 'U+0000'],
  ['\u{f0000}', 'U+F0000'],
  ['all is well\r\n\t', undefined],
])('in %j, %s cannot be held', (content, character) => {
  expect(findIgnored(content)).toBe(character);
});

test('a file over the limit is refused before it is read', () => {
  const message = `a Modelfile can have at most ${limits.bytes} bytes`;
  expect(() => decodeModelfile(new Uint8Array(limits.bytes + 1))).toThrow(message);
  expect(() => dropIgnored('a'.repeat(limits.bytes + 1))).toThrow(message);
});
