// The types that a schema allows. A set with `number` also contains `integer`.

import type { SchemaPart } from './alternatives.ts';
import type { JsonObject } from './json-value.ts';
import { type JsonType, jsonTypes, keywordsOf, typeOfKeyword } from './keywords.ts';

/** The types that every part allows. */
export function allowedTypes(parts: readonly SchemaPart[]): ReadonlySet<JsonType> {
  const declared = parts.flatMap(({ schema }) => declaredTypes(schema) ?? []);
  return new Set(jsonTypes.filter((type) => declared.every((own) => own.has(type))));
}

/**
 * The types to generate. A schema without `type` but with, for example, `properties` is meant for objects, although it
 * allows all other types.
 */
export function generatedTypes(parts: readonly SchemaPart[]): ReadonlySet<JsonType> {
  const allowed = allowedTypes(parts);
  if (parts.some(({ schema }) => declaredTypes(schema))) return allowed;
  const subjects = new Set(parts.flatMap(({ schema }) => keywordsOf(schema).map(typeOfKeyword)));
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
