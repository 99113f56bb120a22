// Counts the values of JSON texts before they are parsed. Parsing takes milliseconds for a long string, but a second for a
// million small values, and nothing else can run meanwhile.

import { HearthError } from './errors.ts';

export interface ValueCounter {
  /** The next bytes of a text. Throws above the limit. */
  addBytes(bytes: Uint8Array): void;
  /** A complete text. */
  addText(text: string): void;
}

/** Values of one request. Parsing that many takes less than 100 milliseconds. */
export const maxRequestValues = 500_000;

const quote = 0x22;
const backslash = 0x5c;
// One of { [ , : precedes each value and each name.
const separators = new Uint8Array(256);
for (const character of '{[,:') separators[character.charCodeAt(0)] = 1;

export function createValueCounter(maxValues: number = maxRequestValues): ValueCounter {
  let values = 0;
  let inString = false;
  let escaped = false;

  function addByte(byte: number): void {
    if (!inString) {
      values += separators[byte] as number;
      inString = byte === quote;
    } else if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) inString = false;
  }

  function addBytes(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) addByte(bytes[index] as number);
    if (values > maxValues)
      throw new HearthError('body_too_large', `request body too large: it has more than ${maxValues} names and values`);
  }

  return {
    addBytes,
    addText(text) {
      inString = false;
      escaped = false;
      addBytes(Buffer.from(text));
    },
  };
}
