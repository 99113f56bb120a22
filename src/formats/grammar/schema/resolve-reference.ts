// Resolves references within the schema: JSON pointers and anchors.

import { childPath, schemaError } from '../limits/schema-error.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';

/** A schema and its path. */
export interface LocatedSchema {
  readonly schema: unknown;
  readonly path: string;
}

const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** The schemas that a schema refers to. All of them apply. */
export function referredSchemas(root: unknown, schema: JsonObject, path: string): LocatedSchema[] {
  return referenceKeywords.flatMap((keyword) => {
    const reference = schema[keyword];
    return typeof reference === 'string' ? [resolveReference(root, reference, childPath(path, keyword))] : [];
  });
}

function resolveReference(root: unknown, reference: string, path: string): LocatedSchema {
  const refuse = (reason: string) => schemaError(path, `${reason}: ${JSON.stringify(reference.slice(0, 100))}`);
  if (!reference.startsWith('#')) throw refuse('refers to another document, which is not supported');
  const isPointer = reference === '#' || reference.startsWith('#/');
  const targets = isPointer
    ? followPointer(root, reference)
    : (anchorsOf(root).get(decodeSegment(reference.slice(1))) ?? []);
  const [target] = targets;
  if (target === undefined) throw refuse('cannot be resolved');
  if (targets.length > 1) throw refuse('refers to several anchors');
  if (typeof target.schema !== 'boolean' && !isJsonObject(target.schema)) throw refuse('does not point to a schema');
  return target;
}

/** Empty if there is nothing. */
function followPointer(root: unknown, reference: string): readonly LocatedSchema[] {
  let found: LocatedSchema = { schema: root, path: '' };
  for (const step of reference.split('/').slice(1)) {
    const key = decodeSegment(step);
    const { schema } = found;
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return [];
    const next = (schema as Readonly<Record<string, unknown>>)[key];
    found = { schema: next, path: childPath(found.path, Array.isArray(schema) ? Number(key) : key) };
  }
  return [found];
}

function decodeSegment(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

const anchorKeywords = ['$anchor', '$dynamicAnchor'] as const;
const known = new WeakMap<object, ReadonlyMap<string, readonly LocatedSchema[]>>();

/** The schemas that have each anchor. */
function anchorsOf(root: unknown): ReadonlyMap<string, readonly LocatedSchema[]> {
  if (typeof root !== 'object' || root === null) return new Map();
  const found = known.get(root) ?? findAnchors(root);
  known.set(root, found);
  return found;
}

function findAnchors(root: object): ReadonlyMap<string, readonly LocatedSchema[]> {
  const found = new Map<string, LocatedSchema[]>();
  const pending: LocatedSchema[] = [{ schema: root, path: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { schema, path } = next;
    for (const name of isJsonObject(schema) ? anchorNames(schema) : []) {
      const others = found.get(name);
      if (others === undefined) found.set(name, [{ schema, path }]);
      else others.push({ schema, path });
    }
    pending.push(...valuesIn(schema, path));
  }
  return found;
}

function valuesIn(value: unknown, path: string): LocatedSchema[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).map(([key, schema]) => ({ schema, path: childPath(path, isList ? Number(key) : key) }));
}

/** Before draft 2019-09, an anchor was an `$id` that is only a fragment. */
function anchorNames(schema: JsonObject): ReadonlySet<string> {
  const { $id, id } = schema;
  const fragments = [$id, id].flatMap((value) =>
    typeof value === 'string' && /^#./.test(value) ? [value.slice(1)] : [],
  );
  const anchors = anchorKeywords.flatMap((keyword) => {
    const name = schema[keyword];
    return typeof name === 'string' ? [name] : [];
  });
  return new Set([...fragments, ...anchors]);
}
