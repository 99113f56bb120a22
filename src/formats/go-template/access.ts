// Access to the contents of values: fields by name, and iteration.

import type { Meter } from './values/limits.ts';
import { entryOf, kindOf, type ListValue, type MapValue, sortedKeys, typeNameOf, type Value } from './values/values.ts';

export function follow(value: Value, path: readonly string[]): Value {
  let current = value;
  for (const name of path) {
    if (current === undefined) return undefined;
    if (current === null) throw new Error(`nil pointer evaluating interface {}.${name}`);
    if (kindOf(current) !== 'map') throw new Error(`can't evaluate field ${name} in type ${typeNameOf(current)}`);
    current = entryOf(current as MapValue, name);
  }
  return current;
}

/** The keys and items that a range iterates over. */
export function* itemsOf(value: Value, meter: Meter): Generator<readonly [Value, Value], undefined> {
  switch (kindOf(value)) {
    case 'nil':
      return;
    case 'list':
      for (const [index, item] of (value as ListValue).entries()) yield [BigInt(index), item ?? null];
      return;
    case 'map': {
      const keys = sortedKeys(value as MapValue);
      // Charged for sorting, even if the range breaks at once.
      meter.step(keys.length);
      for (const key of keys) yield [key, entryOf(value as MapValue, key)];
      return;
    }
    case 'int':
      for (let index = 0n; index < (value as bigint); index++) yield [index, index];
      return;
    default:
      throw new Error(`range can't iterate over ${typeNameOf(value)}`);
  }
}
