// One alternative of a schema as an expression: its values where it lists them, else each type that it allows.

import { choice, type Expression, rule, text } from '../gbnf/expression.ts';
import { type Contradiction, contradiction } from '../schema-error.ts';
import type { Alternative } from './alternatives.ts';
import { arrayExpression } from './array-grammar.ts';
import type { Compiler } from './compiler.ts';
import { asksForWhole, numberConstraints, stringConstraints } from './constraints.ts';
import { valueExpression } from './json-value.ts';
import type { JsonType } from './keywords.ts';
import { numberExpression } from './number-grammar.ts';
import { objectExpression } from './object-grammar.ts';
import { stringExpression } from './string-grammar.ts';
import { intendedTypes } from './types.ts';

export interface AlternativeRequest {
  readonly alternative: Alternative;
  /** Members that have to be there besides those that the schema requires. */
  readonly required: ReadonlySet<string>;
  readonly path: string;
}

export function alternativeExpression(compiler: Compiler, request: AlternativeRequest): Expression | Contradiction {
  const { parts } = request.alternative;
  const [first] = parts;
  if (!first) return rule('value');
  const path = parts.length === 1 ? first.path : request.path;
  const values = compiler.values(parts);
  if (values) {
    if (values.size === 0) return contradiction(path, 'allows no value: none of those it lists fits the rest');
    return choice([...values.values()].map(valueExpression));
  }
  const types = intendedTypes(parts);
  if (types.size === 0) return contradiction(path, 'allows no value: its types exclude each other');
  const results = [...types].flatMap((type) => typeExpression(compiler, { ...request, path }, type, types) ?? []);
  const possible = results.filter((result) => result.kind !== 'contradiction');
  return possible.length > 0 ? choice(possible) : (results[0] as Contradiction);
}

function typeExpression(
  compiler: Compiler,
  { alternative: { parts }, required, path }: AlternativeRequest,
  type: JsonType,
  types: ReadonlySet<JsonType>,
): Expression | Contradiction | undefined {
  switch (type) {
    case 'null':
      return text('null');
    case 'boolean':
      return choice([text('true'), text('false')]);
    case 'string':
      return stringExpression(compiler.rules, stringConstraints(parts), { path, effort: compiler.effort });
    case 'integer':
      if (types.has('number')) return undefined;
      return numberExpression({ ...numberConstraints(parts), integer: true }, path);
    case 'number':
      return numberExpression({ ...numberConstraints(parts), integer: parts.some(asksForWhole) }, path);
    case 'object':
      return objectExpression(compiler, { parts, required, path });
    case 'array':
      return arrayExpression(compiler, parts, path);
  }
}
