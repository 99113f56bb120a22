// Converts one alternative of a schema to an expression: its enum values if it has any, otherwise each allowed type.

import { choiceOf, type Expression, literal, rule } from '../gbnf/expression.ts';
import { type Contradiction, contradiction } from '../limits/schema-error.ts';
import type { Alternative } from './alternatives.ts';
import { arrayExpression } from './array-expression.ts';
import type { Compiler } from './compiler.ts';
import { multipleOf, numberConstraints, requiresInteger, stringConstraints } from './constraints.ts';
import { valueExpression } from './json-value.ts';
import type { JsonType } from './keywords.ts';
import { numberExpression } from './number-expression.ts';
import { objectExpression } from './object-expression.ts';
import { stringExpression } from './string-expression.ts';
import { generatedTypes } from './types.ts';

interface AlternativeRequest {
  readonly alternative: Alternative;
  /** Members that are required in addition to those of the schema: discriminators. */
  readonly required: ReadonlySet<string>;
  readonly path: string;
}

export function alternativeExpression(compiler: Compiler, request: AlternativeRequest): Expression | Contradiction {
  const { parts } = request.alternative;
  const [first] = parts;
  if (!first) return rule('value');
  const path = parts.length === 1 ? first.path : request.path;
  const values = compiler.enumValues(parts);
  if (values) {
    if (values.size === 0)
      return contradiction(path, 'allows no value: none of its enum or const values satisfies its other keywords');
    return choiceOf([...values.values()].map(valueExpression));
  }
  const types = generatedTypes(parts);
  if (types.size === 0) return contradiction(path, 'allows no value: its types are disjoint');
  const results = [...types].flatMap((type) => typeExpression(compiler, { ...request, path }, type, types) ?? []);
  const possible = results.filter((result) => result.kind !== 'contradiction');
  return possible.length > 0 ? choiceOf(possible) : (results[0] as Contradiction);
}

function typeExpression(
  compiler: Compiler,
  { alternative: { parts }, required, path }: AlternativeRequest,
  type: JsonType,
  types: ReadonlySet<JsonType>,
): Expression | Contradiction | undefined {
  const context = { path, budget: compiler.budget };
  switch (type) {
    case 'null':
      return literal('null');
    case 'boolean':
      return choiceOf([literal('true'), literal('false')]);
    case 'string':
      return stringExpression(compiler.rules, stringConstraints(parts), context);
    case 'integer':
    case 'number': {
      if (type === 'integer' && types.has('number')) return undefined;
      const integer = type === 'integer' || parts.some(requiresInteger);
      const constraints = { ...numberConstraints(parts), integer, multiple: multipleOf(parts, path) };
      return numberExpression(compiler.rules, constraints, context);
    }
    case 'object':
      return objectExpression(compiler, { parts, required, path });
    case 'array':
      return arrayExpression(compiler, parts, path);
  }
}
