// What a schema says about members, elements and values: where its keywords keep the schemas of those.

import { pathOf } from '../schema-error.ts';
import type { Part } from './alternatives.ts';
import type { JsonObject } from './json-value.ts';
import type { Located } from './resolve-reference.ts';

type Speaks = (pattern: string, name: string, path: string) => boolean;

/** About the value of a member of that name. */
export function memberSchemas({ schema, path }: Part, name: string, speaksOf: Speaks): readonly Located[] {
  const within = pathOf(path, 'patternProperties');
  const patterns = Object.keys((schema['patternProperties'] ?? {}) as JsonObject);
  const found = [
    ...locate(schema, path, 'properties', [name]),
    ...locate(
      schema,
      path,
      'patternProperties',
      patterns.filter((pattern) => speaksOf(pattern, name, pathOf(within, pattern))),
    ),
  ];
  const { additionalProperties } = schema;
  if (found.length > 0 || additionalProperties === undefined) return found;
  return [{ schema: additionalProperties, path: pathOf(path, 'additionalProperties') }];
}

function locate(schema: JsonObject, path: string, keyword: string, keys: readonly string[]): Located[] {
  const members = (schema[keyword] ?? {}) as JsonObject;
  return keys
    .filter((key) => Object.hasOwn(members, key))
    .map((key) => ({ schema: members[key], path: pathOf(pathOf(path, keyword), key) }));
}

/** About the first elements, one by one, and about those after them; up to draft 7 `items` could be either. */
export function itemSchemas({ schema, path }: Part): {
  readonly prefix: readonly Located[];
  readonly rest: Located | undefined;
} {
  const isList = Array.isArray(schema['items']);
  const [listKeyword, restKeyword] = isList ? ['items', 'additionalItems'] : ['prefixItems', 'items'];
  const list = (schema[listKeyword] ?? []) as readonly unknown[];
  const rest = schema[restKeyword];
  return {
    prefix: list.map((item, index) => ({ schema: item, path: pathOf(pathOf(path, listKeyword), index) })),
    rest: rest === undefined ? undefined : { schema: rest, path: pathOf(path, restKeyword) },
  };
}

/** The lists that a value has to be in: that of `enum`, and `const` as one of its own. */
export function valueLists(schema: JsonObject): readonly (readonly unknown[])[] {
  return [
    ...(Array.isArray(schema['enum']) ? [schema['enum'] as readonly unknown[]] : []),
    ...(Object.hasOwn(schema, 'const') ? [[schema['const']]] : []),
  ];
}
