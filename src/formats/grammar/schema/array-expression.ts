// Converts arrays. If a schema has `prefixItems` but no `items`, no further elements are generated, unless `minItems`
// needs them.

import { type Expression, empty, literal, optional, sequence, whiteSpace } from '../gbnf/expression.ts';
import { type Contradiction, contradiction } from '../limits/schema-error.ts';
import type { SchemaPart } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf } from './constraints.ts';
import { comma } from './json-value.ts';
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
  const further = isOpen && max > listed ? compiler.compile(schemasAt(listed)) : undefined;
  let content = further ? tail(compiler, { item: further, before: listed, min, max, path }) : empty;
  for (let index = listed - 1; index >= 0; index--) {
    const item = compiler.compile(schemasAt(index));
    const own = sequence(index === 0 ? empty : comma, item, content);
    // Every 16th element starts a rule, so that parentheses are not nested too deeply.
    const step = index % 16 === 0 ? compiler.rules.share(own) : own;
    content = index < min ? step : optional(step);
  }
  return sequence(literal('['), whiteSpace, content, content === empty ? empty : whiteSpace, literal(']'));
}

interface Tail {
  readonly item: Expression;
  readonly before: number;
  readonly min: number;
  readonly max: number;
  readonly path: string;
}

/** The elements after the prefix. */
function tail({ rules }: Compiler, { item, before, min, max, path }: Tail): Expression {
  const next = sequence(comma, item);
  const needed = Math.max(0, min - before);
  if (before > 0) return rules.repeat(next, needed, max - before, path);
  const all = sequence(item, rules.repeat(next, Math.max(0, needed - 1), max - 1, path));
  return needed > 0 ? all : optional(all);
}
