// Arrays. Where the first elements are described one by one and `items` says nothing, there are no others, unless
// `minItems` needs them.

import { type Expression, nothing, optional, sequence, text, whiteSpace } from '../gbnf/expression.ts';
import { type Contradiction, contradiction, pathOf, schemaError } from '../schema-error.ts';
import type { Part } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf } from './constraints.ts';
import { comma } from './json-value.ts';
import type { Located } from './resolve-reference.ts';
import { itemSchemas } from './subschemas.ts';

export function arrayExpression(compiler: Compiler, parts: readonly Part[], path: string): Expression | Contradiction {
  const { least, most } = boundsOf(parts, 'minItems', 'maxItems');
  if (least > most) return contradiction(path, `allows no array: ${least} elements or more, and ${most} or fewer`);
  const unique = parts.find(({ schema }) => schema['uniqueItems'] === true);
  if (unique && most > 1)
    throw schemaError(pathOf(unique.path, 'uniqueItems'), 'is not supported: elements may repeat');

  const described = parts.map(itemSchemas);
  const listed = Math.min(most, Math.max(0, ...described.map(({ prefix }) => prefix.length)));
  const isOpen = least > listed || described.every(({ prefix, rest }) => prefix.length === 0 || rest !== undefined);
  const schemasAt = (index: number): Located[] => described.flatMap(({ prefix, rest }) => prefix[index] ?? rest ?? []);
  const further = isOpen && most > listed ? compiler.compile(schemasAt(listed)) : undefined;
  let content = further ? tail(compiler, { item: further, before: listed, least, most, path }) : nothing;
  for (let index = listed - 1; index >= 0; index--) {
    const item = compiler.compile(schemasAt(index));
    const own = sequence(index === 0 ? nothing : comma, item, content);
    // A rule now and then, so that brackets do not stand too deep in each other.
    const step = index % 16 === 0 ? compiler.rules.share(own) : own;
    content = index < least ? step : optional(step);
  }
  return sequence(text('['), whiteSpace, content, content === nothing ? nothing : whiteSpace, text(']'));
}

interface Tail {
  readonly item: Expression;
  readonly before: number;
  readonly least: number;
  readonly most: number;
  readonly path: string;
}

/** The elements after those that are described one by one. */
function tail({ rules }: Compiler, { item, before, least, most, path }: Tail): Expression {
  const next = sequence(comma, item);
  const needed = Math.max(0, least - before);
  if (before > 0) return rules.repeat(next, needed, most - before, path);
  const all = sequence(item, rules.repeat(next, Math.max(0, needed - 1), most - 1, path));
  return needed > 0 ? all : optional(all);
}
