// The types that a schema leaves to its values. Integers are numbers: who allows numbers has both in the set.

import type { Part } from './alternatives.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { type JsonType, jsonTypes, keywordsOf, subjectOf } from './keywords.ts';

/** The types that every part allows. */
export function allowedTypes(parts: readonly Part[]): ReadonlySet<JsonType> {
  const declared = parts.flatMap(({ schema }) => declaredTypes(schema) ?? []);
  return new Set(jsonTypes.filter((type) => declared.every((own) => own.has(type))));
}

/**
 * The types to write. A schema that names none but speaks of, say, properties means an object, though it would let
 * anything else through as well.
 */
export function intendedTypes(parts: readonly Part[]): ReadonlySet<JsonType> {
  const allowed = allowedTypes(parts);
  if (parts.some(({ schema }) => declaredTypes(schema))) return allowed;
  const subjects = new Set(parts.flatMap(({ schema }) => keywordsOf(schema).map(subjectOf)));
  if (subjects.has('number')) subjects.add('integer');
  const meant = [...allowed].filter((type) => subjects.has(type));
  return meant.length > 0 ? new Set(meant) : allowed;
}

function declaredTypes(schema: JsonObject): ReadonlySet<JsonType> | undefined {
  const { type, nullable } = schema;
  if (type === undefined) return undefined;
  const types = new Set((Array.isArray(type) ? type : [type]) as JsonType[]);
  if (types.has('number')) types.add('integer');
  if (nullable === true) types.add('null');
  return types;
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}
