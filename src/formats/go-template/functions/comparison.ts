// eq, ne, lt, le, gt and ge. Go compares only values of the same kind; int and float are different kinds.

import { compareText, kindOf, typeNameOf, type Value } from '../values/values.ts';

export function isEqualToAny(first: Value, others: readonly Value[]): boolean {
  if (others.length === 0) throw new Error('missing argument for comparison');
  return others.some((other) => isEqual(first, other));
}

export function isEqual(a: Value, b: Value): boolean {
  const kind = kindOf(a);
  const other = kindOf(b);
  if (kind === 'nil' || other === 'nil') return kind === other;
  const isBasic = kind !== 'list' && kind !== 'map';
  if (isBasic && kind === other) return a === b;
  if (isBasic || (other !== 'list' && other !== 'map')) throw new Error('incompatible types for comparison');
  throw new Error(`non-comparable types ${typeNameOf(a)}, ${typeNameOf(b)}`);
}

export function compare(a: Value, b: Value): number {
  for (const value of [a, b]) {
    if (!['int', 'float', 'string'].includes(kindOf(value))) throw new Error('invalid type for comparison');
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b);
  // NaN does not occur: JSON cannot represent it.
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
  throw new Error('incompatible types for comparison');
}
