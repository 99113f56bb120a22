// Reads the metadata values of a GGUF file.

import { type ByteReader, malformed, shown } from './byte-reader.ts';
import { ggufLimits } from './limits.ts';

type GgufScalar = number | bigint | boolean | string;
export type GgufValue = GgufScalar | readonly GgufScalar[];
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

export const stringType = 8;
export const arrayType = 9;

interface FixedType {
  readonly bytes: number;
  readonly decode: (bytes: Buffer, offset: number) => GgufScalar;
}

const fixedTypes: ReadonlyMap<number, FixedType> = new Map<number, FixedType>([
  [0, { bytes: 1, decode: (bytes, offset) => bytes.readUInt8(offset) }],
  [1, { bytes: 1, decode: (bytes, offset) => bytes.readInt8(offset) }],
  [2, { bytes: 2, decode: (bytes, offset) => bytes.readUInt16LE(offset) }],
  [3, { bytes: 2, decode: (bytes, offset) => bytes.readInt16LE(offset) }],
  [4, { bytes: 4, decode: (bytes, offset) => bytes.readUInt32LE(offset) }],
  [5, { bytes: 4, decode: (bytes, offset) => bytes.readInt32LE(offset) }],
  [6, { bytes: 4, decode: (bytes, offset) => bytes.readFloatLE(offset) }],
  [7, { bytes: 1, decode: (bytes, offset) => bytes.readUInt8(offset) !== 0 }],
  [10, { bytes: 8, decode: (bytes, offset) => narrow(bytes.readBigUInt64LE(offset)) }],
  [11, { bytes: 8, decode: (bytes, offset) => narrow(bytes.readBigInt64LE(offset)) }],
  [12, { bytes: 8, decode: (bytes, offset) => bytes.readDoubleLE(offset) }],
]);

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

type ValueReader = (key: string) => GgufValue;

interface ValueReaderOptions {
  /** Longer arrays are checked but returned empty. */
  readonly maxArray: number;
  /** Whether tokens must be different. */
  readonly checkTokens: boolean;
}

/** Reads the value of a key. */
export function createValueReader(reader: ByteReader, { maxArray, checkTokens }: ValueReaderOptions): ValueReader {
  let allEntries = 0;

  const readArrayLength = (key: string): number => {
    const length = reader.u64();
    if (length > ggufLimits.arrayEntries)
      throw malformed(`${shown(key)} declares ${length} entries; the limit is ${ggufLimits.arrayEntries}`);
    allEntries += length;
    if (allEntries > ggufLimits.allArrayEntries)
      throw malformed(`its arrays declare more than ${ggufLimits.allArrayEntries} entries in total`);
    return length;
  };

  return (key) => {
    const type = reader.u32();
    if (type !== arrayType) return readScalar(reader, type, key);
    const entryType = reader.u32();
    const length = readArrayLength(key);
    const keep = length <= maxArray;
    const array = { key, length, keep, distinct: checkTokens && key === tokensKey };
    return entryType === stringType ? readStrings(reader, array) : readFixed(reader, fixedType(entryType, key), array);
  };
}

function readScalar(reader: ByteReader, type: number, key: string): GgufScalar {
  if (type === stringType) return reader.take(readStringLength(reader, key)).toString('utf8');
  const fixed = fixedType(type, key);
  return fixed.decode(reader.take(fixed.bytes), 0);
}

interface ArrayHeader {
  readonly key: string;
  readonly length: number;
  readonly keep: boolean;
  /** No string occurs twice. */
  readonly distinct: boolean;
}

function readStrings(reader: ByteReader, { key, length, keep, distinct }: ArrayHeader): string[] {
  const values: string[] = [];
  const check = createTokenCheck();
  for (let index = 0; index < length; index++) {
    const size = readStringLength(reader, key);
    if (keep || distinct) {
      const bytes = reader.take(size);
      if (distinct) check(bytes, index);
      if (keep) values.push(bytes.toString('utf8'));
    } else reader.skip(size);
  }
  return values;
}

function readFixed(reader: ByteReader, fixed: FixedType, { length, keep }: ArrayHeader): GgufScalar[] {
  const values: GgufScalar[] = [];
  const bytes = reader.take(fixed.bytes * length);
  for (let index = 0; keep && index < length; index++) values.push(fixed.decode(bytes, index * fixed.bytes));
  return values;
}

function readStringLength(reader: ByteReader, key: string): number {
  const length = reader.u64();
  if (length > ggufLimits.stringBytes)
    throw malformed(`${shown(key)} declares a string of ${length} bytes; the limit is ${ggufLimits.stringBytes}`);
  return length;
}

function fixedType(type: number, key: string): FixedType {
  const fixed = fixedTypes.get(type);
  if (fixed === undefined) throw malformed(`${shown(key)} has the unknown type ${type}`);
  return fixed;
}

export const tokensKey = 'tokenizer.ggml.tokens';

/** Throws if the bytes of a token are those of an earlier one. llama.cpp gives an empty token a name of its own. */
type CheckToken = (bytes: Buffer, index: number) => void;

export function createTokenCheck(): CheckToken {
  const seen = new Map<string, number>();
  return (bytes, index) => {
    if (bytes.length === 0) return;
    const text = bytes.toString('latin1');
    const first = seen.get(text);
    if (first !== undefined) {
      const name = JSON.stringify(shown(bytes.toString('utf8')));
      throw malformed(`${tokensKey} has ${name} twice, at ${first} and ${index}`);
    }
    seen.set(text, index);
  };
}
