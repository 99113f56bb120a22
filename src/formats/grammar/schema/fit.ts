// Whether a value that stands in a schema (in an enum, as a name) satisfies other parts of it.

import type { Effort } from '../effort.ts';
import { createMatcher } from '../pattern/automaton.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { pathOf } from '../schema-error.ts';
import { type Alternatives, type Part, partingBranches } from './alternatives.ts';
import { asksForWhole, boundsOf, numberConstraints, patternsOf } from './constraints.ts';
import { canonicalText, isJsonObject, type JsonObject } from './json-value.ts';
import type { Located } from './resolve-reference.ts';
import { itemSchemas, memberSchemas, valueLists } from './subschemas.ts';
import { allowedTypes, typeOf } from './types.ts';

export interface Fit {
  /** Whether the value satisfies the schema. */
  schema(located: Located, value: unknown): boolean;
  /** Whether it satisfies the parts, each for its own keywords. */
  parts(parts: readonly Part[], value: unknown): boolean;
  /** Whether a name is one that a pattern of `patternProperties` speaks about. */
  name(pattern: string, name: string, path: string): boolean;
}

export function createFit(alternatives: Alternatives, effort: Effort): Fit {
  const matchers = new Map<string, (text: string) => boolean>();
  const lists = new Map<number, readonly ReadonlySet<string>[]>();

  const fitsSchema = (located: Located, value: unknown): boolean => {
    effort.spend(10, located.path);
    const fitting = alternatives.of([located]).filter((alternative) => fitsParts(alternative.parts, value));
    return fitting.some((one) => fitting.every((other) => !partingBranches(one, other)));
  };

  const fitsParts = (parts: readonly Part[], value: unknown): boolean => parts.every((part) => fitsPart(part, value));

  const fitsPart = (part: Part, value: unknown): boolean => {
    effort.spend(10, part.path);
    const type = typeOf(value);
    if (!allowedTypes([part]).has(type) || !isListed(part, value)) return false;
    if (typeof value === 'string') return fitsString(part, value);
    if (typeof value === 'number') return fitsNumber(part, value);
    if (Array.isArray(value)) return fitsArray(part, value);
    return isJsonObject(value) ? fitsObject(part, value) : true;
  };

  const isListed = (part: Part, value: unknown): boolean => {
    const sets = lists.get(part.id) ?? valueLists(part.schema).map((list) => new Set(list.map(canonicalText)));
    lists.set(part.id, sets);
    return sets.every((set) => set.has(canonicalText(value)));
  };

  const matches = (key: string, text: string, create: () => (text: string) => boolean): boolean => {
    const matcher = matchers.get(key) ?? create();
    matchers.set(key, matcher);
    return matcher(text);
  };

  const fitsString = (part: Part, value: string): boolean => {
    const { least, most } = boundsOf([part], 'minLength', 'maxLength');
    const length = Array.from(value).length;
    const site = { path: part.path, effort };
    return (
      length >= least &&
      length <= most &&
      matches(`part ${part.id}`, value, () => {
        const all = patternsOf(part).map((pattern) => createMatcher(pattern, site));
        return (text) => all.every((matcher) => matcher(text));
      })
    );
  };

  const fitsNumber = (part: Part, value: number): boolean => {
    const { least, most } = numberConstraints([part]);
    const above = least.exclusive ? value > least.value : value >= least.value;
    const below = most.exclusive ? value < most.value : value <= most.value;
    return above && below && (Number.isInteger(value) || !asksForWhole(part));
  };

  const fitsArray = (part: Part, value: readonly unknown[]): boolean => {
    const { least, most } = boundsOf([part], 'minItems', 'maxItems');
    if (value.length < least || value.length > most) return false;
    if (part.schema['uniqueItems'] === true && new Set(value.map(canonicalText)).size < value.length) return false;
    const { prefix, rest } = itemSchemas(part);
    return value.every((item, index) => {
      const located = prefix[index] ?? rest;
      return located === undefined || fitsSchema(located, item);
    });
  };

  const fitsObject = (part: Part, value: JsonObject): boolean => {
    const { schema, path } = part;
    const names = Object.keys(value);
    const { least, most } = boundsOf([part], 'minProperties', 'maxProperties');
    if (names.length < least || names.length > most) return false;
    const required = (schema['required'] ?? []) as readonly string[];
    if (!required.every((name) => Object.hasOwn(value, name))) return false;
    return names.every((name) => {
      const rule = { schema: schema['propertyNames'] ?? true, path: pathOf(path, 'propertyNames') };
      return fitsSchema(rule, name) && memberSchemas(part, name, fit.name).every((one) => fitsSchema(one, value[name]));
    });
  };

  const fit: Fit = {
    schema: fitsSchema,
    parts: fitsParts,
    name: (pattern, name, path) =>
      matches(`name ${pattern}`, name, () => createMatcher(parsePattern(pattern, path), { path, effort })),
  };
  return fit;
}
