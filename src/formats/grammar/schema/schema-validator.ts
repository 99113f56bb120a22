// Validates values that occur in a schema (in an enum, as a member name) against other parts of the schema.

import type { WorkBudget } from '../limits/limits.ts';
import { childPath } from '../limits/schema-error.ts';
import { createMatcher } from '../pattern/automaton.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { type Alternatives, conflictingBranches, type SchemaPart } from './alternatives.ts';
import { boundsOf, excludedTexts, numberConstraints, patternsOf, requiresInteger } from './constraints.ts';
import { canonicalText, isJsonObject, type JsonObject } from './json-value.ts';
import { typeOf } from './keywords.ts';
import { isEnforcedMultiple } from './multiple-expression.ts';
import type { LocatedSchema } from './resolve-reference.ts';
import { itemSchemas, memberSchemas, valueLists } from './subschemas.ts';
import { allowedTypes } from './types.ts';

export interface SchemaValidator {
  satisfies(located: LocatedSchema, value: unknown): boolean;
  satisfiesParts(parts: readonly SchemaPart[], value: unknown): boolean;
  /** Whether a pattern of `patternProperties` applies to a name. */
  matchesName(pattern: string, name: string, path: string): boolean;
}

export function createSchemaValidator(alternatives: Alternatives, budget: WorkBudget): SchemaValidator {
  const matchers = new Map<string, (text: string) => boolean>();
  const lists = new Map<number, readonly ReadonlySet<string>[]>();

  const satisfies = (located: LocatedSchema, value: unknown): boolean => {
    budget.spend(10, located.path);
    const matching = alternatives.of([located]).filter((alternative) => satisfiesParts(alternative.parts, value));
    return matching.some((one) => matching.every((other) => !conflictingBranches(one, other)));
  };

  const satisfiesParts = (parts: readonly SchemaPart[], value: unknown): boolean =>
    parts.every((part) => satisfiesPart(part, value));

  const satisfiesPart = (part: SchemaPart, value: unknown): boolean => {
    budget.spend(10, part.path);
    const type = typeOf(value);
    if (!allowedTypes([part]).has(type) || !isListed(part, value)) return false;
    if (typeof value === 'string') return satisfiesString(part, value);
    if (typeof value === 'number') return satisfiesNumber(part, value);
    if (Array.isArray(value)) return satisfiesArray(part, value);
    return isJsonObject(value) ? satisfiesObject(part, value) : true;
  };

  const isListed = (part: SchemaPart, value: unknown): boolean => {
    const sets = lists.get(part.id) ?? valueLists(part.schema).map((list) => new Set(list.map(canonicalText)));
    lists.set(part.id, sets);
    return sets.every((set) => set.has(canonicalText(value)));
  };

  const matches = (key: string, text: string, create: () => (text: string) => boolean): boolean => {
    const matcher = matchers.get(key) ?? create();
    matchers.set(key, matcher);
    return matcher(text);
  };

  const satisfiesString = (part: SchemaPart, value: string): boolean => {
    const { min, max } = boundsOf([part], 'minLength', 'maxLength');
    const length = Array.from(value).length;
    const context = { path: part.path, budget };
    return (
      length >= min &&
      length <= max &&
      !excludedTexts(part).includes(value) &&
      matches(`part ${part.id}`, value, () => {
        const all = patternsOf(part).map((pattern) => createMatcher(pattern, context));
        return (text) => all.every((matcher) => matcher(text));
      })
    );
  };

  const satisfiesNumber = (part: SchemaPart, value: number): boolean => {
    const { min, max } = numberConstraints([part]);
    const above = min.exclusive ? value > min.value : value >= min.value;
    const below = max.exclusive ? value < max.value : value <= max.value;
    const { multipleOf } = part.schema;
    const isMultiple = !isEnforcedMultiple(multipleOf) || Number.isInteger(value / multipleOf);
    return above && below && isMultiple && (Number.isInteger(value) || !requiresInteger(part));
  };

  const satisfiesArray = (part: SchemaPart, value: readonly unknown[]): boolean => {
    const { min, max } = boundsOf([part], 'minItems', 'maxItems');
    if (value.length < min || value.length > max) return false;
    if (part.schema['uniqueItems'] === true && new Set(value.map(canonicalText)).size < value.length) return false;
    const { prefix, rest } = itemSchemas(part);
    return value.every((item, index) => {
      const located = prefix[index] ?? rest;
      return located === undefined || satisfies(located, item);
    });
  };

  const satisfiesObject = (part: SchemaPart, value: JsonObject): boolean => {
    const { schema, path } = part;
    const names = Object.keys(value);
    const { min, max } = boundsOf([part], 'minProperties', 'maxProperties');
    if (names.length < min || names.length > max) return false;
    const required = (schema['required'] ?? []) as readonly string[];
    if (!required.every((name) => Object.hasOwn(value, name))) return false;
    return names.every((name) => {
      const rule = { schema: schema['propertyNames'] ?? true, path: childPath(path, 'propertyNames') };
      return (
        satisfies(rule, name) &&
        memberSchemas(part, name, validator.matchesName).every((one) => satisfies(one, value[name]))
      );
    });
  };

  const validator: SchemaValidator = {
    satisfies,
    satisfiesParts,
    matchesName: (pattern, name, path) =>
      matches(`name ${pattern}`, name, () => createMatcher(parsePattern(pattern, path), { path, budget })),
  };
  return validator;
}
