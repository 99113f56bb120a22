// Checks that the branches of a `oneOf` exclude each other: by type, by value or range, or by a member. A grammar
// cannot count matches, so a value generated for one branch must never satisfy another. An optional member that
// distinguishes two branches becomes required.

import type { HearthError } from '../../../base/errors.ts';
import { childPath, schemaError } from '../limits/schema-error.ts';
import { type Alternative, type Branch, conflictingBranches, type SchemaPart } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf, numberConstraints } from './constraints.ts';
import type { JsonObject } from './json-value.ts';
import type { JsonType } from './keywords.ts';
import type { Bound } from './number-expression.ts';
import { allowsUndeclared } from './object-expression.ts';
import { memberSchemas } from './subschemas.ts';
import { allowedTypes, generatedTypes } from './types.ts';

type Context = Pick<Compiler, 'alternatives' | 'validator' | 'enumValues' | 'budget' | 'overlaps'>;

/** The additional required members of each alternative. Reports alternatives that can overlap. */
export function discriminateBranches(
  context: Context,
  all: readonly Alternative[],
): ReadonlyMap<Alternative, ReadonlySet<string>> {
  const required = new Map(all.map((alternative) => [alternative, new Set<string>()]));
  for (const one of all)
    for (const other of all) {
      const branches = conflictingBranches(one, other);
      if (!branches) continue;
      const exclusion = excludes(context, { generated: one.parts, other: other.parts, depth: 0 });
      if (!exclusion) context.overlaps(overlapError(branches), childPath(branches[0].path, 'oneOf'));
      else if (exclusion.member !== undefined) required.get(one)?.add(exclusion.member);
    }
  return required;
}

function overlapError([own, other]: readonly [Branch, Branch]): HearthError {
  return schemaError(
    childPath(own.path, 'oneOf'),
    `has branches ${own.index} and ${other.index} that can match the same value; give them a property with different constants, or use anyOf`,
  );
}

interface Pair {
  /** The parts that values are generated for. */
  readonly generated: readonly SchemaPart[];
  /** The parts that these values must not satisfy. */
  readonly other: readonly SchemaPart[];
  readonly depth: number;
}

/** Why the generated values never satisfy the other parts, perhaps through a member; undefined if they may. */
type Exclusion = { readonly member?: string } | undefined;

const excluded: Exclusion = {};
const maxDepth = 6;

function excludes(context: Context, pair: Pair): Exclusion {
  const { generated, other, depth } = pair;
  const byValue = sharesValue(context, pair);
  if (byValue !== undefined) return byValue ? undefined : excluded;
  if (depth > maxDepth) return undefined;

  const allowed = allowedTypes(other);
  let result: Exclusion = excluded;
  for (const type of generatedTypes(generated)) {
    if (!allowed.has(type)) continue;
    const exclusion = excludesType(context, pair, type);
    if (!exclusion) return undefined;
    if (exclusion.member !== undefined) result = exclusion;
  }
  return result;
}

/** Whether an enum value of one satisfies the other too; undefined if neither has enum values. */
function sharesValue({ validator, enumValues, budget }: Context, { generated, other }: Pair): boolean | undefined {
  const [own, others] = [enumValues(generated), enumValues(other)];
  budget.spend(own && others ? 1 + own.size : 20, other[0]?.path ?? '');
  if (own && others) return [...own.keys()].some((key) => others.has(key));
  if (own) return [...own.values()].some((value) => validator.satisfiesParts(other, value));
  return others && [...others.values()].some((value) => validator.satisfiesParts(generated, value));
}

function excludesType(context: Context, pair: Pair, type: JsonType): Exclusion {
  const { generated, other } = pair;
  switch (type) {
    case 'object':
      return excludesObjects(context, pair);
    case 'string':
      return disjoint(boundsOf(generated, 'minLength', 'maxLength'), boundsOf(other, 'minLength', 'maxLength'));
    case 'array':
      return disjoint(boundsOf(generated, 'minItems', 'maxItems'), boundsOf(other, 'minItems', 'maxItems'));
    case 'number':
    case 'integer': {
      const [a, b] = [numberConstraints(generated), numberConstraints(other)];
      return isBelow(a.max, b.min) || isBelow(b.max, a.min) ? excluded : undefined;
    }
    default:
      return undefined;
  }
}

interface Span {
  readonly min: number;
  readonly max: number;
}

function disjoint(a: Span, b: Span): Exclusion {
  return a.max < b.min || b.max < a.min ? excluded : undefined;
}

function isBelow(upper: Bound, lower: Bound): boolean {
  return upper.value < lower.value || (upper.value === lower.value && (upper.exclusive || lower.exclusive));
}

function excludesObjects(context: Context, pair: Pair): Exclusion {
  const { generated, other, depth } = pair;
  const names = (parts: readonly SchemaPart[], keyword: 'properties' | 'required'): Set<string> =>
    new Set(
      parts.flatMap(({ schema }) =>
        keyword === 'required'
          ? ((schema['required'] ?? []) as readonly string[])
          : Object.keys((schema['properties'] ?? {}) as JsonObject),
      ),
    );
  const [declared, required] = [names(generated, 'properties'), names(generated, 'required')];
  const isClosed = !allowsUndeclared(generated);
  for (const name of names(other, 'required'))
    if (isClosed && !declared.has(name) && !required.has(name)) return excluded;
  for (const name of required) if (excludesMember(context, pair, name)) return excluded;
  if (depth > 0) return undefined;
  for (const name of declared) if (excludesMember(context, pair, name)) return { member: name };
  return undefined;
}

function excludesMember(context: Context, { generated, other, depth }: Pair, name: string): boolean {
  const { alternatives, validator } = context;
  const schemasOf = (parts: readonly SchemaPart[]) =>
    parts.flatMap((part) => memberSchemas(part, name, validator.matchesName));
  const others = schemasOf(other);
  if (others.length === 0) return false;
  const own = alternatives.of(schemasOf(generated));
  return alternatives
    .of(others)
    .every(({ parts }) =>
      own.every((one) => excludes(context, { generated: one.parts, other: parts, depth: depth + 1 })),
    );
}
