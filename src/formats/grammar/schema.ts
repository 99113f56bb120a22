// JSON schema to GBNF: every answer that follows the grammar to its end satisfies the schema. What cannot be promised is
// refused with the place in the schema, never left out in silence. Where a schema allows more than a grammar can say in
// reasonable size, the grammar says less: declared members only, in their order, and a discriminator even if it is optional.

import { createEffort } from './effort.ts';
import { choice, type Expression, never, rule, sequence, text } from './gbnf/expression.ts';
import { createRules } from './gbnf/rules.ts';
import { writeGrammar } from './gbnf/write-grammar.ts';
import { alternativeExpression } from './schema/alternative-grammar.ts';
import { createAlternatives } from './schema/alternatives.ts';
import type { Compiler } from './schema/compiler.ts';
import { createFit } from './schema/fit.ts';
import { checkDocument, isJsonObject } from './schema/json-value.ts';
import { createListedValues } from './schema/listed-values.ts';
import type { Located } from './schema/resolve-reference.ts';
import { tellApart } from './schema/tell-apart.ts';
import { schemaError } from './schema-error.ts';

/** `before`: a text that stands in front of the value. */
export function schemaToGrammar(schema: unknown, { before = '' }: { readonly before?: string } = {}): string {
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) throw schemaError('', 'has to be an object');
  checkDocument(schema);
  const effort = createEffort();
  const alternatives = createAlternatives(schema, effort);
  const fit = createFit(alternatives, effort);
  const rules = createRules();
  const names = new Map<string, string>();
  const waiting: { readonly name: string; readonly schemas: readonly Located[] }[] = [];
  let impossible: Located | undefined;

  // Rules are written one after another and not inside each other: a schema may be as deep as it is long.
  const compile = (schemas: readonly Located[]): Expression => {
    const key = [...new Set(schemas.map((located) => alternatives.idOf(located.schema)))].sort((a, b) => a - b).join();
    const before = names.get(key);
    if (before !== undefined) return rule(before);
    const name = rules.reserve();
    names.set(key, name);
    waiting.push({ name, schemas });
    return rule(name);
  };
  const compiler: Compiler = { rules, effort, alternatives, fit, values: createListedValues(fit), compile };

  const root = compile([{ schema, path: '' }]);
  for (const { name, schemas } of waiting) {
    const expression = conjunction(compiler, schemas);
    if (expression === never) impossible ??= schemas[0];
    rules.define(name, expression);
  }
  const grammar = writeGrammar(rules.all, sequence(text(before), root));
  if (grammar !== undefined) return grammar;
  throw impossible
    ? schemaError(impossible.path, 'allows no value')
    : schemaError('', 'describes values without an end: something that it requires contains itself');
}

/** The values that satisfy all of these schemas. */
function conjunction(compiler: Compiler, schemas: readonly Located[]): Expression {
  const path = schemas[0]?.path ?? '';
  const all = compiler.alternatives.of(schemas);
  if (all.length === 0) return never;
  const required = tellApart(compiler, all);
  const results = all.map((alternative) =>
    alternativeExpression(compiler, { alternative, required: required.get(alternative) ?? new Set(), path }),
  );
  const possible = results.filter((result) => result.kind !== 'contradiction');
  const [problem] = results;
  if (possible.length === 0 && problem?.kind === 'contradiction') throw schemaError(problem.path, problem.reason);
  return choice(possible);
}
