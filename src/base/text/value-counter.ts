// Counts the values of JSON texts before they are parsed. Parsing takes milliseconds for a long string, but a second for a
// million small values, and nothing else can run meanwhile.

import { HearthError } from '../errors.ts';

interface ValueCounter {
  /** The next bytes of a text. Throws above the limit. */
  addBytes(bytes: Uint8Array): void;
  /** A complete text. */
  addText(text: string): void;
}

/** Values of one request. Parsing that many takes less than 100 milliseconds, except for objects with many names. */
const maxRequestValues = 500_000;

/** Names of one object. Reading an object with hundreds of thousands of names takes longer than parsing it. */
export const maxObjectNames = 50_000;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const colon = 0x3a;
// One of { [ , : precedes each value and each name.
const separators = new Uint8Array(256);
for (const character of '{[,:') separators[character.charCodeAt(0)] = 1;

export function createValueCounter(maxValues: number = maxRequestValues): ValueCounter {
  let values = 0;
  let inString = false;
  let escaped = false;
  // Names of the objects that are open, and the most names of any object.
  const names: number[] = [];
  let mostNames = 0;

  function countName(): void {
    const count = (names.pop() ?? 0) + 1;
    names.push(count);
    if (count > mostNames) mostNames = count;
  }

  function addOutside(byte: number): void {
    values += separators[byte] as number;
    if (byte === quote) inString = true;
    else if (byte === colon) countName();
    else if (byte === openBrace) names.push(0);
    else if (byte === closeBrace) names.pop();
  }

  function addByte(byte: number): void {
    if (!inString) addOutside(byte);
    else if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) inString = false;
  }

  function addBytes(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) addByte(bytes[index] as number);
    if (values > maxValues) throw tooLarge(`it has more than ${maxValues} names and values`);
    if (mostNames > maxObjectNames) throw tooLarge(`an object has more than ${maxObjectNames} names`);
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

function tooLarge(reason: string): HearthError {
  return new HearthError('body_too_large', `request body too large: ${reason}`);
}
