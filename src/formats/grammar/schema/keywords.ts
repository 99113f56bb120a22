// The table of JSON schema keywords: the expected value of each, the type it applies to, and whether a grammar can
// enforce it.
// Keywords that are not listed are annotations (title, default, extensions) and are ignored.

import { childPath, schemaError } from '../limits/schema-error.ts';
import { fewItemValues } from './item-values.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { isEnforcedMultiple } from './multiple-expression.ts';

export type JsonType = 'null' | 'boolean' | 'string' | 'number' | 'integer' | 'object' | 'array';

export const jsonTypes: readonly JsonType[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

/** Our own keywords: the value does not match the pattern, or is none of the texts. Only rewritten schemas have them. */
export const notPattern = 'not pattern';
export const notTexts = 'not texts';

type Check = readonly [expected: string, isValid: (value: unknown) => boolean];

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isJsonObject(value);
const isType = (value: unknown): boolean => jsonTypes.includes(value as JsonType);
const isText = (value: unknown): boolean => typeof value === 'string';
const anything: Check = ['anything', () => true];
const text: Check = ['a string', isText];
const schema: Check = ['a schema', isSchema];
const schemas: Check = ['an array of schemas', (value) => Array.isArray(value) && value.every(isSchema)];
const nonEmptySchemas: Check = [
  'a non-empty array of schemas',
  (value) => schemas[1](value) && (value as unknown[]).length > 0,
];
const schemaMap: Check = [
  'an object of schemas',
  (value) => isJsonObject(value) && Object.values(value).every(isSchema),
];
const names: Check = ['an array of strings', (value) => Array.isArray(value) && value.every(isText)];
const count: Check = ['a non-negative integer', (value) => Number.isInteger(value) && (value as number) >= 0];
const number: Check = ['a number', (value) => typeof value === 'number'];
const bound: Check = ['a number or a boolean', (value) => typeof value === 'number' || typeof value === 'boolean'];
const flag: Check = ['a boolean', (value) => typeof value === 'boolean'];
const oneOrMoreTypes: Check = [
  'null, boolean, string, number, integer, object, array or an array of those',
  (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
];

interface Keyword {
  readonly check: Check;
  /** The type that it constrains. Values of other types always satisfy it. */
  readonly appliesTo?: JsonType;
  /** Whether this use of it is ignored, because a grammar cannot enforce it. Callers are told. */
  readonly unenforced?: (value: unknown, schema: JsonObject) => boolean;
}

const always = (): boolean => true;

const keywords: Readonly<Record<string, Keyword>> = {
  $ref: { check: text },
  $dynamicRef: { check: text },
  $recursiveRef: { check: text },
  type: { check: oneOrMoreTypes },
  nullable: { check: flag },
  enum: { check: ['an array', Array.isArray] },
  const: { check: anything },
  allOf: { check: schemas },
  anyOf: { check: nonEmptySchemas },
  // Overlaps are found during the conversion.
  oneOf: { check: nonEmptySchemas, unenforced: () => false },
  // Tools write `not: {}` for a value that is never present; see allowsNothing.
  not: { check: schema, unenforced: (value) => !forbidsAll(value) && value !== false },
  if: {
    check: schema,
    unenforced: (_, { then, else: otherwise }) => then !== undefined || otherwise !== undefined,
  },

  minLength: { check: count, appliesTo: 'string' },
  maxLength: { check: count, appliesTo: 'string' },
  pattern: { check: text, appliesTo: 'string' },
  [notPattern]: { check: text, appliesTo: 'string' },
  [notTexts]: { check: names, appliesTo: 'string' },
  // The other formats that the specification names have a pattern.
  format: { check: text, appliesTo: 'string', unenforced: (value) => value === 'regex' },

  minimum: { check: number, appliesTo: 'number' },
  maximum: { check: number, appliesTo: 'number' },
  exclusiveMinimum: { check: bound, appliesTo: 'number' },
  exclusiveMaximum: { check: bound, appliesTo: 'number' },
  multipleOf: { check: number, appliesTo: 'number', unenforced: (value) => !isEnforcedMultiple(value) },

  properties: { check: schemaMap, appliesTo: 'object' },
  required: { check: names, appliesTo: 'object' },
  additionalProperties: { check: schema, appliesTo: 'object' },
  patternProperties: { check: schemaMap, appliesTo: 'object' },
  propertyNames: { check: schema, appliesTo: 'object' },
  minProperties: { check: count, appliesTo: 'object' },
  maxProperties: { check: count, appliesTo: 'object' },
  unevaluatedProperties: {
    check: schema,
    appliesTo: 'object',
    unenforced: (value) => typeof value !== 'boolean',
  },
  dependencies: {
    check: anything,
    unenforced: (value) => !isJsonObject(value) || Object.keys(value).length > 0,
  },
  dependentRequired: { check: anything, unenforced: always },
  dependentSchemas: { check: anything, unenforced: always },

  items: {
    check: ['a schema or an array of schemas', (value) => isSchema(value) || schemas[1](value)],
    appliesTo: 'array',
  },
  prefixItems: { check: schemas, appliesTo: 'array' },
  additionalItems: { check: schema, appliesTo: 'array' },
  minItems: { check: count, appliesTo: 'array' },
  maxItems: { check: count, appliesTo: 'array' },
  uniqueItems: {
    check: flag,
    appliesTo: 'array',
    unenforced: (value, schema) => value === true && Number(schema['maxItems'] ?? 2) > 1 && !fewItemValues(schema),
  },
  contains: { check: schema, appliesTo: 'array', unenforced: always },
  unevaluatedItems: { check: schema, appliesTo: 'array', unenforced: (value) => value !== true },
};

function forbidsAll(negated: unknown): boolean {
  return negated === true || (isJsonObject(negated) && Object.keys(negated).length === 0);
}

/** Whether the schema excludes every value with `not`. */
export function allowsNothing(schema: JsonObject): boolean {
  return Object.hasOwn(schema, 'not') && forbidsAll(schema['not']);
}

export function keywordsOf(schema: JsonObject): readonly string[] {
  return Object.keys(schema).filter((name) => Object.hasOwn(keywords, name));
}

/** The type that a keyword applies to. */
export function typeOfKeyword(keyword: string): JsonType | undefined {
  return keywords[keyword]?.appliesTo;
}

/** Keywords that a grammar does not enforce, or not with every value. */
export const partlyEnforced: readonly string[] = Object.keys(keywords).filter((name) => keywords[name]?.unenforced);

/** The keywords of a schema that the grammar does not enforce. */
export function unenforcedKeywords(schema: JsonObject): readonly string[] {
  return keywordsOf(schema).filter((name) => keywords[name]?.unenforced?.(schema[name], schema));
}

/** Throws if a keyword has an invalid value. */
export function checkKeywords(schema: JsonObject, path: string): void {
  for (const name of keywordsOf(schema)) {
    const [expected, isValid] = (keywords[name] as Keyword).check;
    if (!isValid(schema[name])) throw schemaError(childPath(path, name), `must be ${expected}`);
  }
}
