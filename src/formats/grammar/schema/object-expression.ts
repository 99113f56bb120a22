// Converts objects. Declared members come first, in the order of their declaration. If a schema has `properties` but no
// `additionalProperties`, undeclared members are not generated, although the schema allows them.

import { choiceOf, type Expression, empty, literal, sequence, whiteSpace } from '../gbnf/expression.ts';
import { type Contradiction, childPath, contradiction, schemaError } from '../limits/schema-error.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import type { Pattern } from '../pattern/pattern.ts';
import { combinators, type SchemaPart } from './alternatives.ts';
import type { Compiler } from './compiler.ts';
import { boundsOf, stringConstraints } from './constraints.ts';
import { type JsonObject, memberExpression } from './json-value.ts';
import { keywordsOf } from './keywords.ts';
import { type MemberPlan, memberChain } from './member-chain.ts';
import type { LocatedSchema } from './resolve-reference.ts';
import { type StringConstraints, stringExpression } from './string-expression.ts';
import { memberSchemas, valueLists } from './subschemas.ts';
import { allowedTypes } from './types.ts';

interface ObjectRequest {
  readonly parts: readonly SchemaPart[];
  /** Members that are required in addition to those of the schema: discriminators. */
  readonly required: ReadonlySet<string>;
  readonly path: string;
}

export function objectExpression(compiler: Compiler, request: ObjectRequest): Expression | Contradiction {
  const { parts, path } = request;
  const names = planNames(compiler, request);
  const closed = parts.some(({ schema }) => schema['unevaluatedProperties'] === false);
  const members: MemberPlan['members'][number][] = [];
  for (const [name, required] of names.declared) {
    const schemas = parts.flatMap((part) => memberSchemas(part, name, compiler.validator.matchesName));
    const isForbidden =
      schemas.some(({ schema }) => schema === false) || !names.isAllowed(name) || (closed && schemas.length === 0);
    if (isForbidden && required) return contradiction(path, `requires ${JSON.stringify(name)} but does not allow it`);
    if (!isForbidden) members.push({ expression: memberExpression(name, compiler.compile(schemas)), required });
  }
  const { min, max } = boundsOf(parts, 'minProperties', 'maxProperties');
  const extra = names.extra && extraMember(compiler, request, names.extra);
  if (extra?.kind === 'contradiction') return extra;
  const reachable = members.length + (extra ? 1 : 0);
  if (min > reachable)
    return contradiction(
      path,
      `requires ${min} members, but the grammar guarantees no more than ${reachable} different ones`,
    );
  if (max < members.filter(({ required }) => required).length)
    return contradiction(path, 'requires more members than maxProperties allows');
  const content = memberChain(compiler.rules, { members, extra, min, max }, path);
  return sequence(literal('{'), whiteSpace, content, content === empty ? empty : whiteSpace, literal('}'));
}

interface Names {
  /** In order; the value says whether the member is required. */
  readonly declared: ReadonlyMap<string, boolean>;
  /** Whether propertyNames allows a name. */
  readonly isAllowed: (name: string) => boolean;
  /** The constraints on the names of all undeclared members; undefined if there are no such members. */
  readonly extra: StringConstraints | undefined;
}

/** Undeclared members whose names match the same one of the `patternProperties`, or none if the schema has none. */
interface ExtraMembers {
  readonly names: readonly Pattern[];
  readonly schemas: readonly LocatedSchema[];
}

function planNames(compiler: Compiler, { parts, required, path }: ObjectRequest): Names {
  const nameSchemas = parts.flatMap(({ schema, path: within }) =>
    schema['propertyNames'] === undefined
      ? []
      : [{ schema: schema['propertyNames'], path: childPath(within, 'propertyNames') }],
  );
  const isAllowed = (name: string): boolean =>
    nameSchemas.every((located) => compiler.validator.satisfies(located, name));
  const listed = parts.flatMap(({ schema }) => Object.keys((schema['properties'] ?? {}) as JsonObject));
  const needed = new Set([
    ...parts.flatMap(({ schema }) => (schema['required'] ?? []) as readonly string[]),
    ...required,
  ]);
  const declared = new Map([...listed, ...needed].map((name) => [name, needed.has(name)]));
  if (!allowsUndeclared(parts)) return { declared, isAllowed, extra: undefined };

  const choices = compiler.alternatives.of(nameSchemas);
  const [only] = choices;
  if (choices.length > 1) throw schemaError(childPath(path, 'propertyNames'), 'is not supported with anyOf or oneOf');
  if (!only || !allowedTypes(only.parts).has('string')) return { declared, isAllowed, extra: undefined };
  const [values] = only.parts.flatMap(({ schema }) => valueLists(schema));
  const named = stringConstraints(only.parts);
  if (!values) return { declared, isAllowed, extra: { ...named, excluded: [...named.excluded, ...declared.keys()] } };
  for (const name of values) if (typeof name === 'string' && !declared.has(name)) declared.set(name, false);
  return { declared, isAllowed, extra: undefined };
}

/** Whether undeclared members are generated. */
export function allowsUndeclared(parts: readonly SchemaPart[]): boolean {
  const has = (keyword: string, value?: boolean): boolean =>
    parts.some(({ schema }) => (value === undefined ? schema[keyword] !== undefined : schema[keyword] === value));
  // The outermost schema sees the members of all parts. An inner one would need to know its siblings. A schema that is
  // combined with others, but not by its own keywords, is an inner one.
  const [first] = parts;
  const isOutermost = parts.length === 1 || (first !== undefined && combinesOthers(first.schema));
  const inner = parts.slice(isOutermost ? 1 : 0).find(({ schema }) => schema['unevaluatedProperties'] === false);
  if (inner)
    throw schemaError(
      childPath(inner.path, 'unevaluatedProperties'),
      'is not supported in a schema that is combined with others',
    );
  if (parts.some(forbidsUndeclared)) return false;
  if (has('additionalProperties') || parts.some(({ schema }) => patternKeys(schema).length > 0)) return true;
  return !has('properties') && !has('unevaluatedProperties', false);
}

const combinesOthers = (schema: JsonObject): boolean => keywordsOf(schema).some((name) => combinators.has(name));

function forbidsUndeclared({ schema }: SchemaPart): boolean {
  return schema['additionalProperties'] === false && patternKeys(schema).length === 0;
}

const patternKeys = (schema: JsonObject): readonly string[] =>
  Object.keys((schema['patternProperties'] ?? {}) as JsonObject);

/** Undeclared names must match one of the `patternProperties`, if there are any. A name that matches two is not generated. */
function listExtraMembers(parts: readonly SchemaPart[]): ExtraMembers[] {
  const found = parts.flatMap((part) =>
    patternKeys(part.schema).map((key) => {
      const path = childPath(childPath(part.path, 'patternProperties'), key);
      return {
        part,
        path,
        pattern: parsePattern(key, path),
        schema: (part.schema['patternProperties'] as JsonObject)[key],
      };
    }),
  );
  if (found.length === 0) return [{ names: [], schemas: parts.flatMap(additionalSchemas) }];
  return found.map((own) => {
    const others = found.filter((one) => one !== own).map(({ pattern, path }) => negated(pattern, path));
    const { lookaheads } = own.pattern;
    return {
      names: [others.length === 0 ? own.pattern : { ...own.pattern, lookaheads: [...lookaheads, ...others] }],
      schemas: [own, ...parts.filter((part) => part !== own.part).flatMap(additionalSchemas)],
    };
  });
}

function negated({ node, isFramed, lookaheads }: Pattern, path: string): Pattern['lookaheads'][number] {
  if (lookaheads.length === 0) return { negated: true, node, isFramed };
  throw schemaError(path, 'is not supported: a pattern with a lookahead must be the only one');
}

/** Members with undeclared names. */
function extraMember(
  compiler: Compiler,
  { parts, path }: ObjectRequest,
  names: StringConstraints,
): Expression | Contradiction {
  const { rules, budget } = compiler;
  const results = listExtraMembers(parts).map((kind) => {
    const patterns = [...kind.names, ...names.patterns];
    const name = stringExpression(rules, { ...names, patterns }, { path, budget });
    if (name.kind === 'contradiction') return name;
    return sequence(rules.shareOther(name, names.excluded), literal(':'), whiteSpace, compiler.compile(kind.schemas));
  });
  const possible = results.filter((result) => result.kind !== 'contradiction');
  return possible.length > 0 ? choiceOf(possible) : (results[0] as Contradiction);
}

function additionalSchemas({ schema, path }: SchemaPart): readonly LocatedSchema[] {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return [];
  return [{ schema: additionalProperties, path: childPath(path, 'additionalProperties') }];
}
