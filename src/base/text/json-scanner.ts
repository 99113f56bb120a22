// Checks the size of JSON texts before they are parsed, while their bytes arrive. Parsing takes milliseconds for a long
// string, but a second for a million small values, and nothing else can run meanwhile. A field can have a bound of its own.

import { HearthError } from '../errors.ts';

/** What a field may contain. */
export interface FieldBound {
  /** Bytes of a string, as written in JSON. */
  readonly maxBytes: number;
  /** Strings, objects and arrays in an array. */
  readonly maxItems?: number;
  /** The names in an object of this field are the caller's: its strings have the bound of the field. */
  readonly isFree?: boolean;
}

/** The bound of a field, by its name in lower case. */
type BoundOf = (name: string) => FieldBound;

interface ScanLimits {
  /** Names and values. If it is given, `maxParts` does not apply. */
  readonly maxValues?: number;
  /** Absent: strings have any length, and arrays any number of elements. */
  readonly boundOf?: BoundOf;
}

/** Names and values of one request. Most of so many are numbers, such as tokens: reading them takes about 20 milliseconds. */
const maxRequestValues = 500_000;

/** Names, strings, objects and arrays of one request. Parsing and checking one takes ten times as long as a number. */
const maxParts = 100_000;

/** Names of one object. Reading an object with many names takes longer than parsing it: 50,000 took 100 milliseconds. */
export const maxObjectNames = 10_000;

// Functions that visit nested values must not exceed the stack.
export const maxJsonDepth = 256;

// A longer name is no field of ours.
const maxFieldName = 64;
const maxNameBytes = 4096;
const maxLiteralBytes = 4096;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const colon = 0x3a;
const comma = 0x2c;
const space = 0x20;

const unbounded: FieldBound = { maxBytes: Number.POSITIVE_INFINITY };

/** An object or array that is open. */
interface Level {
  readonly isObject: boolean;
  /** The field that it is the value of. */
  readonly field: string;
  /** The bound of the strings in an array, and of all strings in a free object. */
  readonly bound: FieldBound;
  readonly isFree: boolean;
  names: number;
  items: number;
}

export class JsonScanner {
  readonly #maxValues: number;
  readonly #maxParts: number;
  readonly #boundOf: BoundOf;
  readonly #levels: Level[] = [];
  #values = 0;
  #parts = 0;
  #inString = false;
  /** The previous bytes of the string end with an odd number of backslashes. */
  #escaped = false;
  #isName = false;
  #expectsName = false;
  #stringBytes = 0;
  #name = '';
  /** The bound of the next value. */
  #bound: FieldBound;
  #literalBytes = 0;

  constructor({ maxValues, boundOf }: ScanLimits = {}) {
    this.#maxValues = maxValues ?? maxRequestValues;
    this.#maxParts = maxValues === undefined ? maxParts : Number.POSITIVE_INFINITY;
    this.#boundOf = boundOf ?? (() => unbounded);
    this.#bound = this.#boundOf('');
  }

  /** The next bytes of a text. Throws above a limit. */
  addBytes(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let index = 0; index < bytes.length; ) {
      if (this.#inString) {
        index = this.#addString(bytes, index);
        continue;
      }
      const byte = bytes[index++] as number;
      if (byte > space) this.#addOutside(byte);
    }
  }

  /** A complete text. */
  addText(text: string): void {
    this.#inString = false;
    this.#levels.length = 0;
    this.addBytes(Buffer.from(text));
  }

  /** Returns the index after the string, or the number of bytes. Searching for its end is faster than reading each byte. */
  #addString(bytes: Buffer, start: number): number {
    let from = start;
    if (this.#escaped) {
      this.#escaped = false;
      from++;
    }
    let end = bytes.indexOf(quote, from);
    while (end !== -1 && isEscaped(bytes, from, end)) {
      from = end + 1;
      end = bytes.indexOf(quote, from);
    }
    if (end === -1) {
      this.#escaped = from <= bytes.length && isEscaped(bytes, from, bytes.length);
      this.#addToString(bytes, start, bytes.length);
      return bytes.length;
    }
    this.#addToString(bytes, start, end);
    this.#inString = false;
    return end + 1;
  }

  #addToString(bytes: Buffer, start: number, end: number): void {
    this.#stringBytes += end - start;
    if (this.#isName) {
      if (this.#stringBytes > maxNameBytes) throw tooLarge(`a name has more than ${maxNameBytes} bytes`);
      if (this.#stringBytes <= maxFieldName) this.#name += bytes.toString('latin1', start, end);
    } else if (this.#stringBytes > this.#bound.maxBytes) {
      throw new HearthError('bad_request', `${this.#fieldName()} has more than ${this.#bound.maxBytes} bytes`);
    }
  }

  #addOutside(byte: number): void {
    this.#literalBytes++;
    switch (byte) {
      case quote:
        this.#beginString();
        return;
      case colon:
        this.#countValue();
        this.#endName();
        return;
      case comma:
        this.#countValue();
        this.#nextValue();
        return;
      case openBrace:
      case openBracket:
        this.#countValue();
        this.#countPart();
        this.#open(byte === openBrace);
        return;
      case closeBrace:
      case closeBracket:
        this.#levels.pop();
        this.#literalBytes = 0;
        return;
      default:
        if (this.#literalBytes > maxLiteralBytes) throw tooLarge(`a number has more than ${maxLiteralBytes} digits`);
    }
  }

  #countValue(): void {
    this.#values++;
    if (this.#values > this.#maxValues) throw tooLarge(`it has more than ${this.#maxValues} names and values`);
  }

  #countPart(): void {
    this.#parts++;
    if (this.#parts > this.#maxParts)
      throw tooLarge(`it has more than ${this.#maxParts} names, strings, objects and arrays`);
  }

  #beginString(): void {
    const level = this.#levels.at(-1);
    this.#countPart();
    this.#inString = true;
    this.#stringBytes = 0;
    this.#isName = this.#expectsName && level?.isObject === true;
    if (this.#isName) this.#name = '';
    else this.#countItem(level);
  }

  #endName(): void {
    const level = this.#levels.at(-1);
    this.#expectsName = false;
    this.#literalBytes = 0;
    if (level === undefined) return;
    level.names++;
    if (level.names > maxObjectNames) throw tooLarge(`an object has more than ${maxObjectNames} names`);
    this.#bound = level.isFree ? level.bound : this.#boundOf(this.#name.toLowerCase());
  }

  #nextValue(): void {
    this.#literalBytes = 0;
    const level = this.#levels.at(-1);
    this.#expectsName = level?.isObject === true;
    if (level?.isObject === false) this.#bound = level.bound;
  }

  #open(isObject: boolean): void {
    const parent = this.#levels.at(-1);
    this.#countItem(parent);
    if (this.#levels.length >= maxJsonDepth)
      throw new HearthError('bad_request', `the request body has more than ${maxJsonDepth} levels`);
    const isInArray = parent?.isObject === false;
    const bound = this.#bound;
    // Objects in an array of such a field have names of the API, such as the parts of a content.
    const isFree = parent?.isFree === true || (bound.isFree === true && isObject && !isInArray);
    this.#levels.push({ isObject, field: isInArray ? parent.field : this.#name, bound, isFree, names: 0, items: 0 });
    this.#expectsName = isObject;
  }

  #countItem(level: Level | undefined): void {
    if (level === undefined || level.isObject || level.isFree) return;
    level.items++;
    const { maxItems = Number.POSITIVE_INFINITY } = level.bound;
    if (level.items > maxItems)
      throw new HearthError('bad_request', `${level.field} has more than ${maxItems} elements`);
  }

  #fieldName(): string {
    const level = this.#levels.at(-1);
    const name = level?.isObject === false ? level.field : this.#name;
    return /^[\w.-]+$/.test(name) ? name : 'a string';
  }
}

/** Whether an odd number of backslashes is directly before the index. */
function isEscaped(bytes: Uint8Array, from: number, index: number): boolean {
  let start = index;
  while (start > from && bytes[start - 1] === backslash) start--;
  return (index - start) % 2 === 1;
}

function tooLarge(reason: string): HearthError {
  return new HearthError('body_too_large', `request body too large: ${reason}`);
}
