// Expands the combinators of a schema into disjunctive normal form: $ref and allOf are conjunctions, anyOf and oneOf
// are disjunctions. The result is a list of alternatives. Each is a list of schemas that all apply, without
// combinators.

import type { WorkBudget } from '../limits/limits.ts';
import { grammarLimits } from '../limits/limits.ts';
import { childPath, schemaError } from '../limits/schema-error.ts';
import { createConditions } from './conditions.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { allowsNothing, checkKeywords, keywordsOf } from './keywords.ts';
import { type LocatedSchema, referredSchemas } from './resolve-reference.ts';

/** A schema whose combinators are ignored: they are expanded already. */
export interface SchemaPart {
  readonly schema: JsonObject;
  readonly path: string;
  /** Schemas with equal text have the same id. */
  readonly id: number;
}

export interface Alternative {
  readonly parts: readonly SchemaPart[];
  /** The branch of each oneOf that this alternative comes from, by the schema that has the oneOf. */
  readonly branches: ReadonlyMap<JsonObject, Branch>;
}

export interface Branch {
  readonly index: number;
  readonly path: string;
}

export const combinators: ReadonlySet<string> = new Set([
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'nullable',
]);
const maxReferences = 400;

/**
 * How the converter treats what a grammar cannot express directly.
 * - `exact`: conditions are rewritten, and branches of a oneOf that overlap are an error.
 * - `negated`: each branch of a oneOf excludes the others where they can be negated, and overlaps are allowed elsewhere.
 * - `loose`: conditions are ignored, and all overlaps are allowed.
 */
export type Strictness = 'exact' | 'negated' | 'loose';

/** What another strictness treats in another way, as paths. */
export interface Findings {
  /** Each oneOf whose branches can match the same value. */
  readonly overlaps: Set<string>;
  /** Conditions: `not`, `if` and dependencies. */
  readonly conditions: Set<string>;
}

export function createAlternatives(
  root: unknown,
  {
    budget,
    strictness,
    findings,
  }: { budget: WorkBudget; strictness: Strictness; findings: Pick<Findings, 'conditions'> },
) {
  const conditions = createConditions(root, budget);
  const ids = new Map<string, number>();
  const known = new WeakMap<object, number>();
  const expanded = new WeakMap<object, readonly Alternative[]>();

  const idOf = (schema: unknown): number => {
    const isObject = typeof schema === 'object' && schema !== null;
    const cached = isObject ? known.get(schema) : undefined;
    if (cached !== undefined) return cached;
    const text = JSON.stringify(schema);
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    if (isObject) known.set(schema, id);
    return id;
  };

  const expand = ({ schema, path }: LocatedSchema, trail: readonly unknown[]): readonly Alternative[] => {
    if (schema === true) return [everything];
    if (!isJsonObject(schema)) return [];
    const cached = expanded.get(schema);
    if (cached) return cached;
    if (trail.includes(schema)) throw schemaError(path, 'refers to itself directly');
    if (trail.length > maxReferences) throw schemaError(path, `follows more than ${maxReferences} references`);
    checkKeywords(schema, path);
    const result = allowsNothing(schema) ? [] : expandKeywords(schema, path, [...trail, schema]);
    expanded.set(schema, result);
    return result;
  };

  const expandKeywords = (schema: JsonObject, path: string, trail: readonly unknown[]): readonly Alternative[] => {
    const list = (keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly LocatedSchema[] =>
      ((schema[keyword] ?? []) as readonly unknown[]).map((branch, index) => ({
        schema: branch,
        path: childPath(childPath(path, keyword), index),
      }));
    const joined = [...referredSchemas(root, schema, path), ...list('allOf')].map((located) => expand(located, trail));
    if (schema['anyOf'] !== undefined) joined.push(distinct(list('anyOf').flatMap((branch) => expand(branch, trail))));
    if (schema['oneOf'] !== undefined)
      joined.push(
        exclusiveBranches(list('oneOf')).flatMap((branch, index) =>
          expand(branch, trail).map((one) => withBranch(one, schema, { index, path })),
        ),
      );
    if (strictness !== 'loose')
      for (const keyword of conditions.keywordsOf(schema)) {
        const at = childPath(path, keyword);
        // Even if the rewriting fails: a loose conversion does not try it.
        findings.conditions.add(at);
        const rewritten = conditions.rewrite(schema, keyword);
        if (rewritten !== undefined) joined.push(expand({ schema: rewritten, path: at }, trail));
      }
    return joined.reduce<readonly Alternative[]>(
      (result, others) => product(result, others, budget, path),
      [ownPart(schema, path)],
    );
  };

  /** Each branch with the negations of the others, if it is known that they overlap. */
  const exclusiveBranches = (branches: readonly LocatedSchema[]): readonly LocatedSchema[] => {
    if (strictness !== 'negated') return branches;
    const negated = branches.map(({ schema }) => conditions.negate(schema));
    if (negated.includes(undefined)) return branches;
    return branches.map(({ schema, path }, own) => ({
      schema: { allOf: [schema, ...negated.filter((_, index) => index !== own)] },
      path,
    }));
  };

  const ownPart = (schema: JsonObject, path: string): Alternative =>
    keywordsOf(schema).every((name) => combinators.has(name))
      ? everything
      : { parts: [{ schema, path, id: idOf(schema) }], branches: new Map() };

  return {
    idOf,
    /** The alternatives that satisfy all of these schemas. */
    of: (schemas: readonly LocatedSchema[]): readonly Alternative[] =>
      schemas.reduce<readonly Alternative[]>(
        (result, located) => product(result, expand(located, []), budget, located.path),
        [everything],
      ),
  };
}

export type Alternatives = ReturnType<typeof createAlternatives>;

const everything: Alternative = { parts: [], branches: new Map() };

function withBranch(alternative: Alternative, oneOf: JsonObject, branch: Branch): Alternative {
  return { ...alternative, branches: new Map([...alternative.branches, [oneOf, branch]]) };
}

/** Different branches of one oneOf that two alternatives come from, if there are any. */
export function conflictingBranches(a: Alternative, b: Alternative): readonly [Branch, Branch] | undefined {
  for (const [oneOf, own] of a.branches) {
    const other = b.branches.get(oneOf);
    if (other && other.index !== own.index) return [own, other];
  }
  return undefined;
}

function product(
  left: readonly Alternative[],
  right: readonly Alternative[],
  budget: WorkBudget,
  path: string,
): readonly Alternative[] {
  const joined: Alternative[] = [];
  for (const one of left)
    for (const other of right) {
      budget.spend(1 + one.parts.length + other.parts.length, path);
      const both = merge(one, other);
      if (both) joined.push(both);
    }
  const result = distinct(joined);
  if (result.length > grammarLimits.alternatives)
    throw schemaError(
      path,
      `has more than ${grammarLimits.alternatives} alternatives after anyOf, oneOf and allOf are combined`,
    );
  return result;
}

/** Undefined if they come from different branches of one oneOf, because only one of those may match. */
function merge(a: Alternative, b: Alternative): Alternative | undefined {
  if (conflictingBranches(a, b)) return undefined;
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
