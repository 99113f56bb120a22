import { expect, test } from 'vitest';
import { decodeModelfile, dropUnsupported, findUnsupported } from './decode-modelfile.ts';
import { modelfileLimits } from './modelfile.ts';

const text = 'FROM ember\r\nSYSTEM Grüße, 中 👍\r\n';

function utf16(order: 'le' | 'be', content: string): Uint8Array {
  const bytes = Buffer.from(`\ufeff${content}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 little-endian', utf16('le', text)],
  ['UTF-16 big-endian', utf16('be', text)],
])('%s is read', (_, bytes) => {
  expect(decodeModelfile(bytes)).toBe(text);
});

test.each([
  ['invalid UTF-8', [0x61, 0xff, 0x62], 'a\ufffdb'],
  ['half a UTF-16 character', [0xff, 0xfe, 0x61, 0x00, 0x62], 'a\ufffd'],
  ['only a byte order mark', [0xff, 0xfe], ''],
  ['half a byte order mark', [0xff], '\ufffd'],
  ['nothing', [], ''],
])('%s', (_, bytes, expected) => {
  expect(decodeModelfile(Uint8Array.from(bytes))).toBe(expected);
});

test('drops unprintable characters except tabs and newlines', () => {
  expect(dropUnsupported('\ufeffa\0b\u00a0c\u200dd\u2028e\x7f\ue000\ud800f \t\r\n')).toBe('abcdef \t\r\n');
  expect(dropUnsupported('é e\u0301 中 👍 €½«»')).toBe('é e\u0301 中 👍 €½«»');
});

test.each([
  ['a\u200db', 'U+200D'],
  ['\0', 'U+0000'],
  ['\u{f0000}', 'U+F0000'],
  ['all is well\r\n\t', undefined],
])('in %j, %s cannot be held', (content, character) => {
  expect(findUnsupported(content)).toBe(character);
});

test('refuses a file above the limit before decoding it', () => {
  const message = `a Modelfile can have at most ${modelfileLimits.bytes} bytes`;
  expect(() => decodeModelfile(new Uint8Array(modelfileLimits.bytes + 1))).toThrow(message);
  expect(() => dropUnsupported('a'.repeat(modelfileLimits.bytes + 1))).toThrow(message);
});
