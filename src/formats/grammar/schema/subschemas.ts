// What a schema says about members, elements and values: where its keywords keep the schemas of those.

import { placeOf } from '../schema-error.ts';
import type { Part } from './alternatives.ts';
import type { JsonObject } from './json-value.ts';
import type { Located } from './resolve-reference.ts';

type Speaks = (pattern: string, name: string, place: string) => boolean;

/** About the value of a member of that name. */
export function memberSchemas({ schema, place }: Part, name: string, speaksOf: Speaks): readonly Located[] {
  const within = placeOf(place, 'patternProperties');
  const patterns = Object.keys((schema['patternProperties'] ?? {}) as JsonObject);
  const found = [
    ...locate(schema, place, 'properties', [name]),
    ...locate(
      schema,
      place,
      'patternProperties',
      patterns.filter((pattern) => speaksOf(pattern, name, placeOf(within, pattern))),
    ),
  ];
  const { additionalProperties } = schema;
  if (found.length > 0 || additionalProperties === undefined) return found;
  return [{ schema: additionalProperties, place: placeOf(place, 'additionalProperties') }];
}

function locate(schema: JsonObject, place: string, keyword: string, keys: readonly string[]): Located[] {
  const members = (schema[keyword] ?? {}) as JsonObject;
  return keys
    .filter((key) => Object.hasOwn(members, key))
    .map((key) => ({ schema: members[key], place: placeOf(placeOf(place, keyword), key) }));
}

/** About the first elements, one by one, and about those after them; up to draft 7 `items` could be either. */
export function itemSchemas({ schema, place }: Part): {
  readonly prefix: readonly Located[];
  readonly rest: Located | undefined;
} {
  const isList = Array.isArray(schema['items']);
  const [listKeyword, restKeyword] = isList ? ['items', 'additionalItems'] : ['prefixItems', 'items'];
  const list = (schema[listKeyword] ?? []) as readonly unknown[];
  const rest = schema[restKeyword];
  return {
    prefix: list.map((item, index) => ({ schema: item, place: placeOf(placeOf(place, listKeyword), index) })),
    rest: rest === undefined ? undefined : { schema: rest, place: placeOf(place, restKeyword) },
  };
}

/** The lists that a value has to be in: that of `enum`, and `const` as one of its own. */
export function valueLists(schema: JsonObject): readonly (readonly unknown[])[] {
  return [
    ...(Array.isArray(schema['enum']) ? [schema['enum'] as readonly unknown[]] : []),
    ...(Object.hasOwn(schema, 'const') ? [[schema['const']]] : []),
  ];
}
