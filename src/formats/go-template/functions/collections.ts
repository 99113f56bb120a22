// len, index and slice. Strings are measured in bytes of UTF-8, as in Go.

import type { Meter } from '../values/limits.ts';
import { entryOf, kindOf, type ListValue, type MapValue, sliceList, typeNameOf, type Value } from '../values/values.ts';

// Copying the elements of a list is much cheaper than visiting them.
const itemsPerStep = 64;

export function lengthOf(value: Value, meter: Meter): bigint {
  switch (kindOf(value)) {
    case 'nil':
      throw new Error('len of nil pointer');
    case 'string':
      return BigInt(Buffer.byteLength(value as string));
    case 'list':
      return BigInt((value as ListValue).length);
    case 'map': {
      const { length } = Object.keys(value as MapValue);
      meter.step(length);
      return BigInt(length);
    }
    default:
      throw new Error(`len of type ${typeNameOf(value)}`);
  }
}

/** `index x 1 "a"` is x[1]["a"]; a missing key returns nil. */
export function indexInto(value: Value, keys: readonly Value[]): Value {
  if (value === null || value === undefined) throw new Error('index of untyped nil');
  let current: Value = value;
  for (const key of keys) current = indexOnce(current, key);
  return current;
}

function indexOnce(value: Value, key: Value): Value {
  switch (kindOf(value)) {
    case 'nil':
      throw new Error('index of nil pointer');
    case 'string':
      return BigInt(itemAt(Buffer.from(value as string), key) as number);
    case 'list':
      return itemAt(value as ListValue, key) ?? null;
    case 'map':
      if (kindOf(key) === 'nil') throw new Error('value is nil; should be of type string');
      if (typeof key !== 'string') throw new Error(`value has type ${typeNameOf(key)}; should be string`);
      return entryOf(value as MapValue, key);
    default:
      throw new Error(`can't index item of type ${typeNameOf(value)}`);
  }
}

function itemAt<T>(items: ArrayLike<T>, key: Value): T | undefined {
  const index = toIndex(key, items.length);
  if (index === items.length) throw new Error(`index out of range: ${index}`);
  return items[index];
}

function toIndex(key: Value, maxIndex: number): number {
  if (kindOf(key) === 'nil') throw new Error('cannot index slice/array with nil');
  if (typeof key !== 'bigint') throw new Error(`cannot index slice/array with type ${typeNameOf(key)}`);
  if (key < 0n || key > maxIndex) throw new Error(`index out of range: ${key}`);
  return Number(key);
}

/** `slice x 1 2` is x[1:2]. A split character becomes U+FFFD, because JavaScript strings have no bytes. */
export function sliceOf(value: Value, indexes: readonly Value[], meter: Meter): Value {
  if (value === null || value === undefined) throw new Error('slice of untyped nil');
  if (indexes.length > 3) throw new Error(`too many slice indexes: ${indexes.length}`);
  const isText = typeof value === 'string';
  if (!isText && !Array.isArray(value)) throw new Error(`can't slice item of type ${typeNameOf(value)}`);
  if (isText && indexes.length === 3) throw new Error('cannot 3-index slice a string');
  const items = isText ? Buffer.from(value) : (value as ListValue);
  const [from = 0, to = items.length, max = items.length] = indexes.map((index) => toIndex(index, items.length));
  if (from > to) throw new Error(`invalid slice index: ${from} > ${to}`);
  if (to > max) throw new Error(`invalid slice index: ${to} > ${max}`);
  if (Buffer.isBuffer(items)) {
    meter.text(to - from);
    return items.subarray(from, to).toString();
  }
  meter.step(Math.floor((to - from) / itemsPerStep));
  return sliceList(items as ListValue, from, to);
}
