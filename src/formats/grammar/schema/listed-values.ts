// The values that a schema lists and that satisfy the rest of it.

import type { Part } from './alternatives.ts';
import type { Fit } from './fit.ts';
import { canonicalText } from './json-value.ts';
import { valueLists } from './subschemas.ts';

/** By their canonical texts. */
export type ValueSet = ReadonlyMap<string, unknown>;

/** Those of an enum or a const that satisfy all parts; undefined where there is neither. */
export type ListedValues = (parts: readonly Part[]) => ValueSet | undefined;

export function createListedValues(fit: Fit): ListedValues {
  const known = new WeakMap<readonly Part[], ValueSet>();
  return (parts) => {
    const before = known.get(parts);
    const [list] = before ? [] : parts.flatMap(({ schema }) => valueLists(schema));
    if (!list) return before;
    const fitting = list.filter((value) => fit.parts(parts, value));
    const result = new Map(fitting.map((value) => [canonicalText(value), value]));
    known.set(parts, result);
    return result;
  };
}
