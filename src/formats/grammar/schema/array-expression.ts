// Converts arrays. If a schema has `prefixItems` but no `items`, no further elements are generated, unless `minItems`
// needs them.

import {
  choiceOf,
  type Expression,
  empty,
  isNever,
  literal,
  optional,
  sequence,
  whiteSpace,
} from '../gbnf/expression.ts';
import { type Contradiction, contradiction } from '../limits/schema-error.ts';
import type { SchemaPart } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf } from './constraints.ts';
import { fewItemValues } from './item-values.ts';
import { canonicalText, comma, valueExpression } from './json-value.ts';
import type { LocatedSchema } from './resolve-reference.ts';
import { itemSchemas } from './subschemas.ts';

export function arrayExpression(
  compiler: Compiler,
  parts: readonly SchemaPart[],
  path: string,
): Expression | Contradiction {
  const { min, max } = boundsOf(parts, 'minItems', 'maxItems');
  if (min > max) return contradiction(path, `allows no array: minItems ${min} is greater than maxItems ${max}`);

  const described = parts.map(itemSchemas);
  const listed = Math.min(max, Math.max(0, ...described.map(({ prefix }) => prefix.length)));
  const isOpen = min > listed || described.every(({ prefix, rest }) => prefix.length === 0 || rest !== undefined);
  const schemasAt = (index: number): LocatedSchema[] =>
    described.flatMap(({ prefix, rest }) => prefix[index] ?? rest ?? []);
  const elements = { schemasAt, listed, min, max: isOpen ? max : listed, path };
  const [few] = max > 1 ? parts.flatMap(uniqueValues) : [];
  const content = few ? uniqueElements(compiler, few, elements) : orderedElements(compiler, elements);
  if (isNever(content)) return contradiction(path, `allows no array of ${min} different elements`);
  return sequence(literal('['), whiteSpace, content, content === empty ? empty : whiteSpace, literal(']'));
}

interface Elements {
  readonly schemasAt: (index: number) => readonly LocatedSchema[];
  /** The number of elements with schemas of their own. */
  readonly listed: number;
  readonly min: number;
  readonly max: number;
  readonly path: string;
}

function orderedElements(compiler: Compiler, elements: Elements): Expression {
  const { schemasAt, listed, min, max } = elements;
  let content = max > listed ? tail(compiler, compiler.compile(schemasAt(listed)), elements) : empty;
  for (let index = listed - 1; index >= 0; index--) {
    const item = compiler.compile(schemasAt(index));
    const own = sequence(index === 0 ? empty : comma, item, content);
    // Every 16th element starts a rule, so that parentheses are not nested too deeply.
    const step = index % 16 === 0 ? compiler.rules.share(own) : own;
    content = index < min ? step : optional(step);
  }
  return content;
}

/** The elements after the prefix. */
function tail({ rules }: Compiler, item: Expression, { listed, min, max, path }: Elements): Expression {
  const next = sequence(comma, item);
  const needed = Math.max(0, min - listed);
  if (listed > 0) return rules.repeat(next, needed, max - listed, path);
  const all = sequence(item, rules.repeat(next, Math.max(0, needed - 1), max - 1, path));
  return needed > 0 ? all : optional(all);
}

/** The values of elements that must differ, if they are few. */
function uniqueValues({ schema }: SchemaPart): readonly (readonly unknown[])[] {
  const values = schema['uniqueItems'] === true ? fewItemValues(schema) : undefined;
  return values ? [values] : [];
}

/** Arrays without equal elements: one rule for each set of values that are used up. */
function uniqueElements(
  { rules, validator, budget }: Compiler,
  values: readonly unknown[],
  { schemasAt, listed, min, max, path }: Elements,
): Expression {
  const distinct = [...new Map(values.map((value) => [canonicalText(value), value])).values()];
  const allowedAt = Array.from({ length: Math.min(listed, distinct.length) + 1 }, (_, index) =>
    distinct.map((value) => schemasAt(index).every((located) => validator.satisfies(located, value))),
  );
  const known = new Map<number, Expression>();
  const after = (used: number, count: number): Expression => {
    const found = known.get(used);
    if (found) return found;
    budget.spend(distinct.length, path);
    const allowed = allowedAt[Math.min(count, allowedAt.length - 1)] ?? [];
    const options = distinct.flatMap((value, index) =>
      count < max && allowed[index] && (used & (1 << index)) === 0
        ? [sequence(count === 0 ? empty : comma, valueExpression(value), after(used | (1 << index), count + 1))]
        : [],
    );
    const more = choiceOf(options);
    const result = rules.share(count < min ? more : optional(more));
    known.set(used, result);
    return result;
  };
  return after(0, 0);
}
