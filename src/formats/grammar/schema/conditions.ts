// Rewrites `not`, `if` and dependencies with keywords that a grammar can enforce. A negation can be stricter than it must
// be: every value that satisfies it violates the schema, but a few values may satisfy neither.

import type { WorkBudget } from '../limits/limits.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { type JsonType, jsonTypes, keywordsOf, notPattern, notTexts, typeOf } from './keywords.ts';
import { referredSchemas } from './resolve-reference.ts';

// References within a negation are followed: a recursive schema has no end.
const maxDepth = 16;
// A negated schema is written and compared like a schema of the document.
const stepsPerNegation = 10;
// Each number that is excluded adds a range.
const maxNumbers = 8;

/** References are resolved in `root`. A negation repeats what its references share, so its work counts. */
export function createConditions(root: unknown, budget: WorkBudget) {
  /** A schema of values that violate this one; undefined if a keyword of it cannot be negated. */
  const negate = (schema: unknown, depth = 0): unknown => {
    if (typeof schema === 'boolean') return !schema;
    if (!isJsonObject(schema) || depth > maxDepth) return undefined;
    budget.spend(stepsPerNegation, '');
    return unionOf(keywordsOf(schema).map((name) => negateKeyword(schema, name, depth + 1)));
  };

  const negateKeyword = (schema: JsonObject, name: string, depth: number): unknown => {
    const value = schema[name];
    switch (name) {
      case '$ref':
        return unionOf(referredSchemas(root, { $ref: value }, '').map((referred) => negate(referred.schema, depth)));
      case 'not':
        return value;
      case 'anyOf':
        return intersectionOf((value as readonly unknown[]).map((branch) => negate(branch, depth)));
      case 'allOf':
        return unionOf((value as readonly unknown[]).map((branch) => negate(branch, depth)));
      case 'properties':
        return unionOf(
          Object.entries(value as JsonObject).map(([key, member]) => violating(key, negate(member, depth))),
        );
      case 'items':
      case 'patternProperties':
        return undefined;
      default:
        return negations[name]?.(value as never, schema);
    }
  };

  const conditions: Readonly<Record<string, (value: unknown, schema: JsonObject) => unknown>> = {
    not: (schema) => negate(schema),
    if: (condition, { then: met = true, else: otherwise = true }) => {
      const negated = negate(condition);
      return negated === undefined
        ? undefined
        : { anyOf: [{ allOf: [condition, met] }, { allOf: [negated, otherwise] }] };
    },
    dependencies: requireTogether,
    dependentRequired: requireTogether,
    dependentSchemas: requireTogether,
  };

  // Which members are evaluated depends on how a schema is written.
  let hasUnevaluated: boolean | undefined;
  /** The schema that says the same as a keyword; undefined if there is none. */
  const rewrite = (schema: JsonObject, keyword: string): unknown => {
    if (conditions[keyword] === undefined) return undefined;
    hasUnevaluated ??= JSON.stringify(root).includes('"unevaluated');
    return hasUnevaluated ? undefined : conditions[keyword](schema[keyword], schema);
  };

  return {
    negate: (schema: unknown) => negate(schema),
    rewrite,
    keywordsOf: (schema: JsonObject): readonly string[] =>
      Object.keys(schema).filter((keyword) => Object.hasOwn(conditions, keyword)),
  };
}

/** The negations of keywords without subschemas. False: no value violates the keyword. */
const negations: Readonly<Record<string, (value: never, schema: JsonObject) => unknown>> = {
  type: (type: JsonType | readonly JsonType[]) => ({ type: typesExcept([type].flat()) }),
  enum: negateValues,
  const: (value: unknown) => negateValues([value]),
  required: (names: readonly string[]) => unionOf(names.map((name) => ({ type: 'object', ...without(name) }))),
  // A pattern with a lookahead cannot be negated.
  pattern: (pattern: string) => (pattern.includes('(?') ? undefined : { type: 'string', [notPattern]: pattern }),
  minLength: (count: number) => count > 0 && { type: 'string', maxLength: count - 1 },
  maxLength: (count: number) => ({ type: 'string', minLength: count + 1 }),
  minItems: (count: number) => count > 0 && { type: 'array', maxItems: count - 1 },
  maxItems: (count: number) => ({ type: 'array', minItems: count + 1 }),
  minProperties: (count: number) => count > 0 && { type: 'object', maxProperties: count - 1 },
  maxProperties: (count: number) => ({ type: 'object', minProperties: count + 1 }),
  // Before draft 6, `exclusiveMinimum: true` made `minimum` exclusive.
  minimum: (bound: number, { exclusiveMinimum }) => ({
    type: 'number',
    [exclusiveMinimum === true ? 'maximum' : 'exclusiveMaximum']: bound,
  }),
  maximum: (bound: number, { exclusiveMaximum }) => ({
    type: 'number',
    [exclusiveMaximum === true ? 'minimum' : 'exclusiveMinimum']: bound,
  }),
  exclusiveMinimum: (bound: number | boolean) => typeof bound === 'number' && { type: 'number', maximum: bound },
  exclusiveMaximum: (bound: number | boolean) => typeof bound === 'number' && { type: 'number', minimum: bound },
};

/** Undefined if one of them is undefined. */
function unionOf(schemas: readonly unknown[]): unknown {
  if (schemas.includes(undefined)) return undefined;
  const possible = schemas.filter((schema) => schema !== false);
  if (possible.length < 2) return possible[0] ?? false;
  return { anyOf: possible };
}

function intersectionOf(schemas: readonly unknown[]): unknown {
  return schemas.includes(undefined) ? undefined : { allOf: schemas };
}

/** Numbers that are not integers have no type of their own, so they are excluded together with the integers. */
function typesExcept(types: readonly JsonType[]): JsonType[] {
  const isNumber = types.includes('number') || types.includes('integer');
  return jsonTypes.filter((type) => !types.includes(type) && !(isNumber && (type === 'number' || type === 'integer')));
}

function negateValues(values: readonly unknown[]): unknown {
  const types = new Set(values.map(typeOf));
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = [...new Set(values.filter((value) => typeof value === 'number'))].sort((a, b) => a - b);
  if (types.has('object') || types.has('array') || numbers.length > maxNumbers) return undefined;
  const between = [...numbers, undefined].map((next, index) => ({
    type: 'number',
    ...(index === 0 ? {} : { exclusiveMinimum: numbers[index - 1] }),
    ...(next === undefined ? {} : { exclusiveMaximum: next }),
  }));
  return unionOf([
    { type: typesExcept([...types]) },
    ...(texts.length > 0 ? [{ type: 'string', [notTexts]: texts }] : []),
    ...(numbers.length > 0 ? between : []),
    ...(types.has('boolean') ? [{ enum: [true, false].filter((value) => !values.includes(value)) }] : []),
  ]);
}

/** Objects without this member, and everything else. */
function without(name: string): JsonObject {
  return { propertyNames: { [notTexts]: [name] } };
}

function violating(name: string, negated: unknown): unknown {
  if (negated === undefined || negated === false) return negated;
  return { type: 'object', properties: { [name]: negated }, required: [name] };
}

/** Lists of names, or schemas, by the member that makes them apply. */
function requireTogether(dependencies: unknown): unknown {
  if (!isJsonObject(dependencies)) return undefined;
  const all = Object.entries(dependencies).map(([name, needed]) => {
    const present = { type: 'object', required: [name] };
    const also = typeof needed === 'string' || Array.isArray(needed) ? { required: [needed].flat() } : needed;
    return { anyOf: [without(name), { ...present, allOf: [also] }] };
  });
  return { allOf: all };
}
