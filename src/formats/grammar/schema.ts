// Converts a JSON schema to GBNF; docs/grammar.md explains the stages. Every complete answer satisfies the schema, apart
// from the keywords that are listed as unenforced. Where a schema allows more than a grammar
// can express in reasonable size, the grammar is stricter: declared members only, in their order, and discriminators
// are required.

import { type Effort, unlimitedEffort } from '../../base/effort.ts';
import { HearthError } from '../../base/errors.ts';
import { findUnenforced } from './find-unenforced.ts';
import { choiceOf, countNodes, type Expression, never, rule } from './gbnf/expression.ts';
import { createRules } from './gbnf/rules.ts';
import { writeGrammar } from './gbnf/write-grammar.ts';
import { createWorkBudget, type WorkBudget } from './limits/limits.ts';
import { type Contradiction, contradiction, schemaError } from './limits/schema-error.ts';
import { alternativeExpression } from './schema/alternative-expression.ts';
import { createAlternatives, type Findings, type Strictness } from './schema/alternatives.ts';
import type { Compiler } from './schema/compiler.ts';
import { discriminateBranches } from './schema/discriminate-branches.ts';
import { createEnumValues } from './schema/enum-values.ts';
import { checkDocument, isJsonObject } from './schema/json-value.ts';
import type { LocatedSchema } from './schema/resolve-reference.ts';
import { createSchemaValidator } from './schema/schema-validator.ts';

interface ConversionOptions {
  /** Bounds the work on this thread. */
  readonly effort?: Effort;
  /** The work that is left for several schemas together. */
  readonly budget?: WorkBudget;
}

export interface CompilerOptions extends ConversionOptions {
  readonly strictness?: Strictness;
  readonly findings?: Findings;
}

/** The grammar of a schema, and the paths of the keywords that it does not enforce. */
export interface SchemaGrammar {
  readonly grammar: string;
  readonly unenforced: readonly string[];
}

export function schemaToGrammar(schema: unknown, options: ConversionOptions = {}): string {
  return convertSchema(schema, options).grammar;
}

export function convertSchema(schema: unknown, options: ConversionOptions = {}): SchemaGrammar {
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) throw schemaError('', 'must be an object');
  checkDocument(schema);
  return convertStrictly((strictness, findings) => {
    const budget = options.budget ?? createWorkBudget(options.effort);
    const compiler = createSchemaCompiler(schema, { ...options, budget, strictness, findings });
    const grammar = compiler.write(compiler.compile([{ schema, path: '' }]));
    return { grammar, unenforced: findUnenforced(schema, { strictness, overlaps: findings.overlaps, budget }) };
  });
}

/** The strictest conversion that is possible. One that cannot have another result is not tried. */
export function convertStrictly(convert: (strictness: Strictness, findings: Findings) => SchemaGrammar): SchemaGrammar {
  const findings = { overlaps: new Set<string>(), conditions: new Set<string>() };
  const attempt = (strictness: Strictness): SchemaGrammar | HearthError => {
    findings.overlaps.clear();
    return resultOrRefusal(() => convert(strictness, findings));
  };
  let result = attempt('exact');
  const hasOverlaps = findings.overlaps.size > 0;
  if (result instanceof HearthError && hasOverlaps) result = attempt('negated');
  if (result instanceof HearthError && (hasOverlaps || findings.conditions.size > 0)) result = attempt('loose');
  if (result instanceof HearthError) throw result;
  return result;
}

function resultOrRefusal<Result>(convert: () => Result): Result | HearthError {
  try {
    return convert();
  } catch (error) {
    if (error instanceof HearthError && error.code === 'bad_request') return error;
    throw error;
  }
}

/** Builds a grammar from several schemas of one document, with other texts around their values. */
export interface SchemaCompiler extends Pick<Compiler, 'rules' | 'compile'> {
  /** The grammar of the expression and of all schemas that were compiled for it. */
  write(root: Expression): string;
}

/** References of the schemas are resolved in `document`. */
export function createSchemaCompiler(
  document: unknown,
  {
    effort = unlimitedEffort,
    budget = createWorkBudget(effort),
    strictness = 'exact',
    findings = { overlaps: new Set(), conditions: new Set() },
  }: CompilerOptions = {},
): SchemaCompiler {
  const { values, characters } = checkDocument(document);
  effort.spend(values + Math.floor(characters / charactersPerStep));
  const alternatives = createAlternatives(document, { budget, strictness, findings });
  const validator = createSchemaValidator(alternatives, budget);
  const rules = createRules(effort);
  const names = new Map<string, string>();
  const pending: { readonly name: string; readonly schemas: readonly LocatedSchema[] }[] = [];
  // The error of the first schema without a value: thrown only if every value of the whole schema needs it.
  let impossible: HearthError | undefined;

  // A queue instead of recursion: through references, a schema can be nested as deeply as it is long.
  const compile = (schemas: readonly LocatedSchema[]): Expression => {
    const key = [...new Set(schemas.map((located) => alternatives.idOf(located.schema)))].sort((a, b) => a - b).join();
    const known = names.get(key);
    if (known !== undefined) return rule(known);
    const name = rules.reserve();
    names.set(key, name);
    pending.push({ name, schemas });
    return rule(name);
  };
  const compiler: Compiler = {
    rules,
    budget,
    alternatives,
    validator,
    enumValues: createEnumValues(validator),
    overlaps(error, path) {
      findings.overlaps.add(path);
      if (strictness === 'exact') throw error;
    },
    compile,
  };

  const write = (root: Expression): string => {
    for (const { name, schemas } of pending) {
      const result = conjunction(compiler, schemas);
      if (result.kind === 'contradiction') impossible ??= schemaError(result.path, result.reason);
      const expression = result.kind === 'contradiction' ? never : result;
      budget.spend(stepsPerNode * countNodes(expression), schemas[0]?.path ?? '');
      rules.define(name, expression);
    }
    const grammar = writeGrammar(rules.all, root, effort, rules.exclusions);
    if (grammar !== undefined) return grammar;
    throw impossible ?? schemaError('', 'allows no finite value: something that it requires contains itself');
  };
  return { rules, compile, write };
}

// Reading this many characters, possibly of a pattern, takes about as long as a step.
const charactersPerStep = 2;

// Later stages visit every node several times.
const stepsPerNode = 2;

/** Matches the values that satisfy all of these schemas. */
function conjunction(compiler: Compiler, schemas: readonly LocatedSchema[]): Expression | Contradiction {
  const path = schemas[0]?.path ?? '';
  const all = compiler.alternatives.of(schemas);
  if (all.length === 0) return contradiction(path, 'allows no value');
  const required = discriminateBranches(compiler, all);
  const results = all.map((alternative) =>
    alternativeExpression(compiler, { alternative, required: required.get(alternative) ?? new Set(), path }),
  );
  const possible = results.filter((result) => result.kind !== 'contradiction');
  const [problem] = results;
  return possible.length === 0 && problem?.kind === 'contradiction' ? problem : choiceOf(possible);
}
