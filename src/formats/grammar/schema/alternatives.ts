// Multiplies out what stands around the keywords of a schema: $ref and allOf join schemas, anyOf and oneOf part them.
// What is left is a list of alternatives, each a list of schemas that hold together, read for their own keywords only.

import type { Effort } from '../effort.ts';
import { limits } from '../limits.ts';
import { pathOf, schemaError } from '../schema-error.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { allowsNothing, checkKeywords, keywordsOf } from './keywords.ts';
import { type Located, resolveReference } from './resolve-reference.ts';

/** A schema, read for its own keywords only. */
export interface Part {
  readonly schema: JsonObject;
  readonly path: string;
  /** The same for schemas of the same text. */
  readonly id: number;
}

export interface Alternative {
  readonly parts: readonly Part[];
  /** Which branch it took of each oneOf on its way, by the schema with the oneOf. */
  readonly branches: ReadonlyMap<JsonObject, Branch>;
}

export interface Branch {
  readonly index: number;
  readonly path: string;
}

export interface Alternatives {
  /** The ways to satisfy all of these schemas at once. */
  of(schemas: readonly Located[]): readonly Alternative[];
  idOf(schema: unknown): number;
}

const joining = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'nullable']);
const deepest = 400;

export function createAlternatives(root: unknown, effort: Effort): Alternatives {
  const ids = new Map<string, number>();
  const known = new WeakMap<object, number>();
  const expanded = new WeakMap<object, readonly Alternative[]>();

  const idOf = (schema: unknown): number => {
    const isObject = typeof schema === 'object' && schema !== null;
    const before = isObject ? known.get(schema) : undefined;
    if (before !== undefined) return before;
    const text = JSON.stringify(schema);
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    if (isObject) known.set(schema, id);
    return id;
  };

  const expand = ({ schema, path }: Located, trail: readonly unknown[]): readonly Alternative[] => {
    if (schema === true) return [everything];
    if (!isJsonObject(schema)) return [];
    const before = expanded.get(schema);
    if (before) return before;
    if (trail.includes(schema)) throw schemaError(path, 'refers to itself without anything in between');
    if (trail.length > deepest) throw schemaError(path, `goes through more than ${deepest} references`);
    checkKeywords(schema, path);
    const result = allowsNothing(schema) ? [] : expandKeywords(schema, path, [...trail, schema]);
    expanded.set(schema, result);
    return result;
  };

  const expandKeywords = (schema: JsonObject, path: string, trail: readonly unknown[]): readonly Alternative[] => {
    const list = (keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly Located[] =>
      ((schema[keyword] ?? []) as readonly unknown[]).map((branch, index) => ({
        schema: branch,
        path: pathOf(pathOf(path, keyword), index),
      }));
    const reference = schema['$ref'];
    const joined = [
      ...(typeof reference === 'string' ? [resolveReference(root, reference, path)] : []),
      ...list('allOf'),
    ].map((located) => expand(located, trail));
    if (schema['anyOf'] !== undefined) joined.push(distinct(list('anyOf').flatMap((branch) => expand(branch, trail))));
    if (schema['oneOf'] !== undefined)
      joined.push(
        list('oneOf').flatMap((branch, index) =>
          expand(branch, trail).map((one) => took(one, schema, { index, path })),
        ),
      );
    return joined.reduce<readonly Alternative[]>(
      (result, others) => product(result, others, effort, path),
      [ownPart(schema, path)],
    );
  };

  const ownPart = (schema: JsonObject, path: string): Alternative =>
    keywordsOf(schema).every((name) => joining.has(name))
      ? everything
      : { parts: [{ schema, path, id: idOf(schema) }], branches: new Map() };

  return {
    idOf,
    of: (schemas) =>
      schemas.reduce<readonly Alternative[]>(
        (result, located) => product(result, expand(located, []), effort, located.path),
        [everything],
      ),
  };
}

const everything: Alternative = { parts: [], branches: new Map() };

function took(alternative: Alternative, oneOf: JsonObject, branch: Branch): Alternative {
  return { ...alternative, branches: new Map([...alternative.branches, [oneOf, branch]]) };
}

/** The branches of one oneOf that two alternatives part at; undefined where they do not. */
export function partingBranches(a: Alternative, b: Alternative): readonly [Branch, Branch] | undefined {
  for (const [oneOf, own] of a.branches) {
    const other = b.branches.get(oneOf);
    if (other && other.index !== own.index) return [own, other];
  }
  return undefined;
}

function product(
  left: readonly Alternative[],
  right: readonly Alternative[],
  effort: Effort,
  path: string,
): readonly Alternative[] {
  const joined: Alternative[] = [];
  for (const one of left)
    for (const other of right) {
      effort.spend(1 + one.parts.length + other.parts.length, path);
      const both = unite(one, other);
      if (both) joined.push(both);
    }
  const result = distinct(joined);
  if (result.length > limits.alternatives)
    throw schemaError(path, `has more than ${limits.alternatives} alternatives once its parts are combined`);
  return result;
}

/** Undefined where they take different branches of one oneOf: at most one of those can hold. */
function unite(a: Alternative, b: Alternative): Alternative | undefined {
  if (partingBranches(a, b)) return undefined;
  const parts = [...a.parts, ...b.parts.filter(({ id }) => a.parts.every((part) => part.id !== id))];
  return { parts, branches: new Map([...a.branches, ...b.branches]) };
}

function distinct(alternatives: readonly Alternative[]): readonly Alternative[] {
  const found = new Map<string, Alternative>();
  const oneOfs: JsonObject[] = [];
  const numberOf = (oneOf: JsonObject): number =>
    oneOfs.includes(oneOf) ? oneOfs.indexOf(oneOf) : oneOfs.push(oneOf) - 1;
  for (const alternative of alternatives) {
    const branches = [...alternative.branches].map(([oneOf, { index }]) => `${numberOf(oneOf)}=${index}`).sort();
    const key = `${alternative.parts.map(({ id }) => id).join(',')};${branches.join(',')}`;
    if (!found.has(key)) found.set(key, alternative);
  }
  return [...found.values()];
}
