// `oneOf` lets exactly one branch hold. The grammar cannot count, so the branches have to exclude each other: by type, by
// value or range, or by a member. What is written for one branch must not satisfy another; where a member that need not
// be there would tell them apart, it is made to be there.

import type { HearthError } from '../../../base/errors.ts';
import { pathOf, schemaError } from '../schema-error.ts';
import { type Alternative, type Branch, type Part, partingBranches } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf, numberConstraints } from './constraints.ts';
import type { JsonObject } from './json-value.ts';
import type { JsonType } from './keywords.ts';
import type { Bound } from './number-grammar.ts';
import { allowsOthers } from './object-grammar.ts';
import { memberSchemas } from './subschemas.ts';
import { allowedTypes, intendedTypes } from './types.ts';

type Means = Pick<Compiler, 'alternatives' | 'fit' | 'values' | 'effort'>;

/** For each alternative, the members that have to be there. Throws where two cannot be told apart. */
export function tellApart(means: Means, all: readonly Alternative[]): ReadonlyMap<Alternative, ReadonlySet<string>> {
  const required = new Map(all.map((alternative) => [alternative, new Set<string>()]));
  for (const one of all)
    for (const other of all) {
      const branches = partingBranches(one, other);
      if (!branches) continue;
      const verdict = excludes(means, { written: one.parts, held: other.parts, depth: 0 });
      if (!verdict) throw alike(branches);
      if (verdict.member !== undefined) required.get(one)?.add(verdict.member);
    }
  return required;
}

function alike([own, other]: readonly [Branch, Branch]): HearthError {
  return schemaError(
    pathOf(own.path, 'oneOf'),
    `has branches ${own.index} and ${other.index} that could both hold; give them a member with different constants, or use anyOf`,
  );
}

interface Pair {
  /** What values are written for. */
  readonly written: readonly Part[];
  /** What they must not satisfy. */
  readonly held: readonly Part[];
  readonly depth: number;
}

/** How the values written for one never satisfy the other; undefined where that is not certain. */
type Verdict = { readonly member?: string } | undefined;

const certain: Verdict = {};
const deepest = 6;

function excludes(means: Means, pair: Pair): Verdict {
  const { written, held, depth } = pair;
  const byValue = sharesValue(means, pair);
  if (byValue !== undefined) return byValue ? undefined : certain;
  if (depth > deepest) return undefined;

  const allowed = allowedTypes(held);
  let result: Verdict = certain;
  for (const type of intendedTypes(written)) {
    if (!allowed.has(type)) continue;
    const verdict = excludesType(means, pair, type);
    if (!verdict) return undefined;
    if (verdict.member !== undefined) result = verdict;
  }
  return result;
}

/** Whether values that one of them lists satisfy the other as well; undefined where neither lists any. */
function sharesValue({ fit, values, effort }: Means, { written, held }: Pair): boolean | undefined {
  const [own, others] = [values(written), values(held)];
  effort.spend(own && others ? 1 + own.size : 20, held[0]?.path ?? '');
  if (own && others) return [...own.keys()].some((key) => others.has(key));
  if (own) return [...own.values()].some((value) => fit.parts(held, value));
  return others && [...others.values()].some((value) => fit.parts(written, value));
}

function excludesType(means: Means, pair: Pair, type: JsonType): Verdict {
  const { written, held } = pair;
  switch (type) {
    case 'object':
      return excludesObjects(means, pair);
    case 'string':
      return apart(boundsOf(written, 'minLength', 'maxLength'), boundsOf(held, 'minLength', 'maxLength'));
    case 'array':
      return apart(boundsOf(written, 'minItems', 'maxItems'), boundsOf(held, 'minItems', 'maxItems'));
    case 'number':
    case 'integer': {
      const [own, other] = [numberConstraints(written), numberConstraints(held)];
      return isBelow(own.most, other.least) || isBelow(other.most, own.least) ? certain : undefined;
    }
    default:
      return undefined;
  }
}

interface Span {
  readonly least: number;
  readonly most: number;
}

function apart(a: Span, b: Span): Verdict {
  return a.most < b.least || b.most < a.least ? certain : undefined;
}

function isBelow(upper: Bound, lower: Bound): boolean {
  return upper.value < lower.value || (upper.value === lower.value && (upper.exclusive || lower.exclusive));
}

function excludesObjects(means: Means, pair: Pair): Verdict {
  const { written, held, depth } = pair;
  const names = (parts: readonly Part[], keyword: 'properties' | 'required'): Set<string> =>
    new Set(
      parts.flatMap(({ schema }) =>
        keyword === 'required'
          ? ((schema['required'] ?? []) as readonly string[])
          : Object.keys((schema['properties'] ?? {}) as JsonObject),
      ),
    );
  const [declared, required] = [names(written, 'properties'), names(written, 'required')];
  const isClosed = !allowsOthers(written);
  for (const name of names(held, 'required'))
    if (isClosed && !declared.has(name) && !required.has(name)) return certain;
  for (const name of required) if (excludesMember(means, pair, name)) return certain;
  if (depth > 0) return undefined;
  for (const name of declared) if (excludesMember(means, pair, name)) return { member: name };
  return undefined;
}

function excludesMember(means: Means, { written, held, depth }: Pair, name: string): boolean {
  const { alternatives, fit } = means;
  const schemasOf = (parts: readonly Part[]) => parts.flatMap((part) => memberSchemas(part, name, fit.name));
  const others = schemasOf(held);
  if (others.length === 0) return false;
  const own = alternatives.of(schemasOf(written));
  return alternatives
    .of(others)
    .every(({ parts }) => own.every((one) => excludes(means, { written: one.parts, held: parts, depth: depth + 1 })));
}
