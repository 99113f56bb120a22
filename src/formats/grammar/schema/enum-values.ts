// The enum and const values of a schema that satisfy its other keywords.

import type { SchemaPart } from './alternatives.ts';
import { canonicalText } from './json-value.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { valueLists } from './subschemas.ts';

/** Values by their canonical text. */
type EnumValueMap = ReadonlyMap<string, unknown>;

/** The enum or const values that satisfy all parts; undefined if there is neither keyword. */
export type EnumValues = (parts: readonly SchemaPart[]) => EnumValueMap | undefined;

export function createEnumValues(validator: SchemaValidator): EnumValues {
  const known = new WeakMap<readonly SchemaPart[], EnumValueMap>();
  return (parts) => {
    const cached = known.get(parts);
    const [list] = cached ? [] : parts.flatMap(({ schema }) => valueLists(schema));
    if (!list) return cached;
    const fitting = list.filter((value) => validator.satisfiesParts(parts, value));
    const result = new Map(fitting.map((value) => [canonicalText(value), value]));
    known.set(parts, result);
    return result;
  };
}
