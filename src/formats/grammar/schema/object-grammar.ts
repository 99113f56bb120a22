// Objects. Declared members come in the order in which they are declared, others after them. Where members are declared
// and `additionalProperties` says nothing, there are no others: the schema would allow them, but did not ask for any.

import { type Expression, nothing, sequence, text, whiteSpace } from '../gbnf/expression.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { anyCharacter, anyText, type Pattern } from '../pattern/pattern.ts';
import { type Contradiction, contradiction, pathOf, schemaError } from '../schema-error.ts';
import type { Part } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf, stringConstraints } from './constraints.ts';
import { type JsonObject, memberExpression } from './json-value.ts';
import { type MemberPlan, memberChain } from './member-chain.ts';
import type { Located } from './resolve-reference.ts';
import { anythingBut, stringExpression } from './string-grammar.ts';
import { memberSchemas, valueLists } from './subschemas.ts';
import { allowedTypes } from './types.ts';

export interface ObjectRequest {
  readonly parts: readonly Part[];
  /** Members that have to be there besides those that the schema requires. */
  readonly required: ReadonlySet<string>;
  readonly path: string;
}

export function objectExpression(compiler: Compiler, request: ObjectRequest): Expression | Contradiction {
  const { parts, path } = request;
  const names = planNames(compiler, request);
  const closed = parts.some(({ schema }) => schema['unevaluatedProperties'] === false);
  const members: MemberPlan['members'][number][] = [];
  for (const [name, required] of names.declared) {
    const schemas = parts.flatMap((part) => memberSchemas(part, name, compiler.fit.name));
    const isForbidden =
      schemas.some(({ schema }) => schema === false) || !names.fits(name) || (closed && schemas.length === 0);
    if (isForbidden && required) return contradiction(path, `requires ${JSON.stringify(name)} and does not allow it`);
    if (!isForbidden) members.push({ expression: memberExpression(name, compiler.compile(schemas)), required });
  }
  const { least, most } = boundsOf(parts, 'minProperties', 'maxProperties');
  const extra = names.extra && extraMember(compiler, request, names);
  if (extra?.kind === 'contradiction') return extra;
  const reachable = members.length + (extra ? 1 : 0);
  if (least > reachable)
    return contradiction(path, `asks for ${least} members, and no more than ${reachable} different ones are certain`);
  if (most < members.filter(({ required }) => required).length)
    return contradiction(path, `requires more members than maxProperties allows`);
  const content = memberChain(compiler.rules, { members, extra, least, most }, path);
  return sequence(text('{'), whiteSpace, content, content === nothing ? nothing : whiteSpace, text('}'));
}

interface Names {
  /** In order, and whether they have to be there. */
  readonly declared: ReadonlyMap<string, boolean>;
  /** Whether propertyNames allows it. */
  readonly fits: (name: string) => boolean;
  /** The patterns that names of other members follow; undefined: there are no others. */
  readonly extra: readonly Pattern[] | undefined;
}

function planNames(compiler: Compiler, { parts, required, path }: ObjectRequest): Names {
  const nameSchemas = parts.flatMap(({ schema, path: within }) =>
    schema['propertyNames'] === undefined
      ? []
      : [{ schema: schema['propertyNames'], path: pathOf(within, 'propertyNames') }],
  );
  const fits = (name: string): boolean => nameSchemas.every((located) => compiler.fit.schema(located, name));
  const listed = parts.flatMap(({ schema }) => Object.keys((schema['properties'] ?? {}) as JsonObject));
  const needed = new Set([
    ...parts.flatMap(({ schema }) => (schema['required'] ?? []) as readonly string[]),
    ...required,
  ]);
  const declared = new Map([...listed, ...needed].map((name) => [name, needed.has(name)]));
  if (!allowsOthers(parts)) return { declared, fits, extra: undefined };

  const choices = compiler.alternatives.of(nameSchemas);
  const [only] = choices;
  if (choices.length > 1) throw schemaError(pathOf(path, 'propertyNames'), 'is not supported with alternatives in it');
  if (!only || !allowedTypes(only.parts).has('string')) return { declared, fits, extra: undefined };
  const [values] = only.parts.flatMap(({ schema }) => valueLists(schema));
  if (!values) return { declared, fits, extra: [...keyPatterns(parts), ...namePatterns(only.parts)] };
  for (const name of values) if (typeof name === 'string' && !declared.has(name)) declared.set(name, false);
  return { declared, fits, extra: undefined };
}

/** What propertyNames asks of a name. */
function namePatterns(parts: readonly Part[]): readonly Pattern[] {
  const { patterns, least, most } = stringConstraints(parts);
  if (least === 0 && most === Number.POSITIVE_INFINITY) return patterns;
  return [...patterns, { node: { kind: 'repeat', item: anyCharacter, least, most }, lookaheads: [] }];
}

/** Whether members may come that nobody has declared. */
export function allowsOthers(parts: readonly Part[]): boolean {
  const says = (keyword: string, value?: boolean): boolean =>
    parts.some(({ schema }) => (value === undefined ? schema[keyword] !== undefined : schema[keyword] === value));
  // Those of the schema around all others know all members; those further in would have to know of one another.
  const inner = parts.slice(1).find(({ schema }) => schema['unevaluatedProperties'] === false);
  if (inner)
    throw schemaError(
      pathOf(inner.path, 'unevaluatedProperties'),
      'is not supported in a schema that is part of another',
    );
  if (parts.some(hasOnlyFalse)) return false;
  if (says('additionalProperties') || parts.some(({ schema }) => patternKeys(schema).length > 0)) return true;
  return !says('properties') && !says('unevaluatedProperties', false);
}

function hasOnlyFalse({ schema }: Part): boolean {
  return schema['additionalProperties'] === false && patternKeys(schema).length === 0;
}

const patternKeys = (schema: JsonObject): readonly string[] =>
  Object.keys((schema['patternProperties'] ?? {}) as JsonObject);

/** Names that are not declared have to be those of a pattern, where there is one. */
function keyPatterns(parts: readonly Part[]): readonly Pattern[] {
  const found = parts.flatMap(({ schema, path }) =>
    patternKeys(schema).map((key) => ({ key, path: pathOf(pathOf(path, 'patternProperties'), key) })),
  );
  const [, second] = found;
  if (second) throw schemaError(second.path, 'is not supported: one pattern for names is, not several');
  return found.map(({ key, path }) => parsePattern(key, path));
}

/** A member whose name is none of the declared ones. */
function extraMember(compiler: Compiler, { parts, path }: ObjectRequest, names: Names): Expression | Contradiction {
  const { rules, effort } = compiler;
  const taken = [...names.declared.keys()];
  const patterns = [...(names.extra ?? []), ...(taken.length > 0 ? [anythingBut(taken, anyText)] : [])];
  const name = stringExpression(rules, { patterns, least: 0, most: Number.POSITIVE_INFINITY }, { path, effort });
  if (name.kind === 'contradiction') return name;
  const value = compiler.compile(parts.flatMap(extraSchemas));
  return sequence(rules.share(name), text(':'), whiteSpace, value);
}

function extraSchemas({ schema, path }: Part): readonly Located[] {
  const [pattern] = patternKeys(schema);
  if (pattern !== undefined) {
    const within = pathOf(path, 'patternProperties');
    return [{ schema: (schema['patternProperties'] as JsonObject)[pattern], path: pathOf(within, pattern) }];
  }
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return [];
  return [{ schema: additionalProperties, path: pathOf(path, 'additionalProperties') }];
}
