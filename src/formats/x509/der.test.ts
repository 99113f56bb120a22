import { expect, test } from 'vitest';
import { bitString, boolean, contextTag, integer, objectId, octetString, sequence, time, utf8String } from './der.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test.each([
  [0, '0400'],
  [0x7f, '047f'],
  [0x80, '048180'],
  [0x1234, '04821234'],
])('the length of %d bytes', (length, header) => {
  expect(hex(octetString(Buffer.alloc(length))).slice(0, header.length)).toBe(header);
});

test.each([
  [[0], '020100'],
  [[0, 0, 5], '020105'],
  [[0x7f], '02017f'],
  [[0x80], '02020080'],
  [[], '020100'],
])('an integer of %j has its shortest form and no sign', (bytes, encoded) => {
  expect(hex(integer(Buffer.from(bytes)))).toBe(encoded);
});

// From the specification (X.690 8.19.5) and RFC 5758.
test.each([
  ['2.999.3', '0603883703'],
  ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
  ['2.5.29.17', '0603551d11'],
])('the object identifier %s', (text, encoded) => {
  expect(hex(objectId(text))).toBe(encoded);
});

test('a year has two digits until 2049', () => {
  expect(
    time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))
      .subarray(2)
      .toString(),
  ).toBe('491231235959Z');
  expect(
    time(Date.UTC(2050, 0, 1))
      .subarray(2)
      .toString(),
  ).toBe('20500101000000Z');
});

test('other values', () => {
  expect(hex(boolean(true))).toBe('0101ff');
  expect(hex(bitString(Buffer.of(0x06), 1))).toBe('03020106');
  expect(hex(utf8String('é'))).toBe('0c02c3a9');
  expect(hex(sequence(boolean(false), boolean(true)))).toBe('30060101000101ff');
  expect(hex(contextTag(0, Buffer.of(1), { constructed: true }))).toBe('a00101');
  expect(hex(contextTag(2, Buffer.of(1), { constructed: false }))).toBe('820101');
});
