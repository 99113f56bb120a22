// Writes DER, the encoding of certificates: every value is a tag, a length and its content.
//
//   length   0x00–0x7f as one byte; otherwise 0x80 + the number of bytes, then the bytes, most significant first

import { formatTimestamp } from '../../base/time/timestamp.ts';

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function encode(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = bigEndian(length);
  return Buffer.of(0x80 + bytes.length, ...bytes);
}

function bigEndian(value: number): number[] {
  return value === 0 ? [] : [...bigEndian(Math.floor(value / 256)), value % 256];
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => encode(tags.sequence, Buffer.concat(items));
export const setOf = (item: Uint8Array): Buffer => encode(tags.set, item);
export const octetString = (bytes: Uint8Array): Buffer => encode(tags.octetString, bytes);
export const utf8String = (text: string): Buffer => encode(tags.utf8String, Buffer.from(text));
export const boolean = (value: boolean): Buffer => encode(tags.boolean, Buffer.of(value ? 0xff : 0));

/** A non-negative integer, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  // The highest bit is the sign.
  return encode(tags.integer, (significant[0] as number) >= 0x80 ? Buffer.of(0, ...significant) : significant);
}

/** `unusedBits`: bits at the end of the last byte that do not belong to the value. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return encode(tags.bitString, Buffer.of(unusedBits, ...bytes));
}

/** An object identifier such as 2.5.29.17. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return encode(tags.objectId, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Seven bits per byte; all bytes but the last have the highest bit. */
function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 + (rest % 128));
  return bytes;
}

// Certificates have a year of two digits until 2049.
const firstLongYear = 2050;

/** `milliseconds` since the epoch; a fraction of a second is dropped. */
export function time(milliseconds: number): Buffer {
  const digits = formatTimestamp(milliseconds).replace(/\.\d+Z$|[-:T]/g, '');
  const isLong = Number(digits.slice(0, 4)) >= firstLongYear;
  return encode(isLong ? tags.generalizedTime : tags.utcTime, Buffer.from(`${isLong ? digits : digits.slice(2)}Z`));
}

/** A value with a tag of its context, `[number]` in the specification. */
export function contextTag(number: number, content: Uint8Array, { constructed }: { constructed: boolean }): Buffer {
  return encode((constructed ? 0xa0 : 0x80) + number, content);
}
