// The keywords of a schema that its grammar does not enforce, such as uniqueItems: the caller is told, so that it can
// check the answer.

import type { WorkBudget } from './limits/limits.ts';
import { childPath } from './limits/schema-error.ts';
import type { Strictness } from './schema/alternatives.ts';
import { createConditions } from './schema/conditions.ts';
import { isJsonObject, type JsonObject } from './schema/json-value.ts';
import { unenforcedKeywords } from './schema/keywords.ts';
import { type LocatedSchema, referredSchemas } from './schema/resolve-reference.ts';

const schemaKeywords = ['items', 'additionalItems', 'additionalProperties', 'propertyNames'] as const;
const listKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'] as const;
const mapKeywords = ['properties', 'patternProperties'] as const;
// A long list helps no one, and it is sent in a header.
const maxFound = 20;

interface Conversion {
  readonly strictness: Strictness;
  /** The paths of each oneOf whose branches can match the same value. */
  readonly overlaps: ReadonlySet<string>;
  readonly budget: WorkBudget;
}

/** The paths of the first ones. The schema was converted before, so it is valid and its size is limited. */
export function findUnenforced(
  root: unknown,
  { strictness, overlaps, budget }: Conversion,
  schemas: readonly LocatedSchema[] = [{ schema: root, path: '' }],
): readonly string[] {
  const { rewrite } = createConditions(root, budget);
  const found = [...overlaps];
  const seen = new Set<unknown>();
  const pending: LocatedSchema[] = [...schemas].reverse();
  for (let next = pending.pop(); next !== undefined && found.length < maxFound; next = pending.pop()) {
    const { schema, path } = next;
    if (!isJsonObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    const ignored = unenforcedKeywords(schema).filter(
      (keyword) => strictness === 'loose' || rewrite(schema, keyword) === undefined,
    );
    found.push(...ignored.map((keyword) => childPath(path, keyword)));
    pending.push(...subschemasOf(root, schema, path).reverse());
  }
  return found.slice(0, maxFound);
}

/** In order. Definitions count only where they are referred to. */
function subschemasOf(root: unknown, schema: JsonObject, path: string): LocatedSchema[] {
  const lists = listKeywords.flatMap((keyword) => {
    const list = schema[keyword];
    const at = childPath(path, keyword);
    return Array.isArray(list) ? list.map((entry, index) => ({ schema: entry, path: childPath(at, index) })) : [];
  });
  const maps = mapKeywords.flatMap((keyword) => {
    const map = schema[keyword];
    const at = childPath(path, keyword);
    return isJsonObject(map) ? Object.keys(map).map((name) => ({ schema: map[name], path: childPath(at, name) })) : [];
  });
  return [
    ...referredSchemas(root, schema, path),
    ...lists,
    ...maps,
    ...schemaKeywords.map((keyword) => ({ schema: schema[keyword], path: childPath(path, keyword) })),
  ];
}
