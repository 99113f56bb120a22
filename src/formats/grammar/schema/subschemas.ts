// The subschemas of a schema that apply to a member or an element, and its lists of values.

import { childPath } from '../limits/schema-error.ts';
import type { SchemaPart } from './alternatives.ts';
import type { JsonObject } from './json-value.ts';
import type { LocatedSchema } from './resolve-reference.ts';

type NameMatcher = (pattern: string, name: string, path: string) => boolean;

/** The schemas for the value of a member. */
export function memberSchemas(
  { schema, path }: SchemaPart,
  name: string,
  matchesName: NameMatcher,
): readonly LocatedSchema[] {
  const within = childPath(path, 'patternProperties');
  const patterns = Object.keys((schema['patternProperties'] ?? {}) as JsonObject);
  const found = [
    ...locate(schema, path, 'properties', [name]),
    ...locate(
      schema,
      path,
      'patternProperties',
      patterns.filter((pattern) => matchesName(pattern, name, childPath(within, pattern))),
    ),
  ];
  const { additionalProperties } = schema;
  if (found.length > 0 || additionalProperties === undefined) return found;
  return [{ schema: additionalProperties, path: childPath(path, 'additionalProperties') }];
}

function locate(schema: JsonObject, path: string, keyword: string, keys: readonly string[]): LocatedSchema[] {
  const members = (schema[keyword] ?? {}) as JsonObject;
  return keys
    .filter((key) => Object.hasOwn(members, key))
    .map((key) => ({ schema: members[key], path: childPath(childPath(path, keyword), key) }));
}

/** The schemas for the first elements and for the rest. Up to draft 7, `items` could be either. */
export function itemSchemas({ schema, path }: SchemaPart): {
  readonly prefix: readonly LocatedSchema[];
  readonly rest: LocatedSchema | undefined;
} {
  const isList = Array.isArray(schema['items']);
  const [listKeyword, restKeyword] = isList ? ['items', 'additionalItems'] : ['prefixItems', 'items'];
  const list = (schema[listKeyword] ?? []) as readonly unknown[];
  const rest = schema[restKeyword];
  return {
    prefix: list.map((item, index) => ({ schema: item, path: childPath(childPath(path, listKeyword), index) })),
    rest: rest === undefined ? undefined : { schema: rest, path: childPath(path, restKeyword) },
  };
}

/** The lists that must contain a value: that of `enum`, and one for `const`. */
export function valueLists(schema: JsonObject): readonly (readonly unknown[])[] {
  return [
    ...(Array.isArray(schema['enum']) ? [schema['enum'] as readonly unknown[]] : []),
    ...(Object.hasOwn(schema, 'const') ? [[schema['const']]] : []),
  ];
}
