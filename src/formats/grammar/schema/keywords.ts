// The one table of JSON schema keywords: what each has to look like, whom it speaks about, and whether it can be kept.
// A keyword that is not here says nothing about values: titles, defaults, whatever a tool has added.

import { pathOf, schemaError } from '../schema-error.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';

export type JsonType = 'null' | 'boolean' | 'string' | 'number' | 'integer' | 'object' | 'array';

export const jsonTypes: readonly JsonType[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

type Check = readonly [expected: string, fits: (value: unknown) => boolean];

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isJsonObject(value);
const isType = (value: unknown): boolean => jsonTypes.includes(value as JsonType);
const isText = (value: unknown): boolean => typeof value === 'string';
const anything: Check = ['anything', () => true];
const text: Check = ['a string', isText];
const schema: Check = ['a schema', isSchema];
const schemas: Check = ['a list of schemas', (value) => Array.isArray(value) && value.every(isSchema)];
const someSchemas: Check = [
  'a list of one schema or more',
  (value) => schemas[1](value) && (value as unknown[]).length > 0,
];
const members: Check = ['an object of schemas', (value) => isJsonObject(value) && Object.values(value).every(isSchema)];
const names: Check = ['a list of strings', (value) => Array.isArray(value) && value.every(isText)];
const count: Check = ['a whole number, zero or more', (value) => Number.isInteger(value) && (value as number) >= 0];
const number: Check = ['a number', (value) => typeof value === 'number'];
const bound: Check = ['a number or a boolean', (value) => typeof value === 'number' || typeof value === 'boolean'];
const flag: Check = ['a boolean', (value) => typeof value === 'boolean'];
const oneOrMoreTypes: Check = [
  'null, boolean, string, number, integer, object, array or a list of those',
  (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
];

interface Keyword {
  readonly check: Check;
  /** The kind of values that it speaks about; others satisfy it as they are. */
  readonly about?: JsonType;
  /** Whether it can be kept; where it cannot, what to do instead. */
  readonly refused?: (value: unknown, schema: JsonObject) => string | undefined;
}

const never = (advice: string) => (): string => `is not supported${advice}`;
const unless =
  (harmless: (value: unknown, schema: JsonObject) => boolean, advice = '') =>
  (value: unknown, schema: JsonObject): string | undefined =>
    harmless(value, schema) ? undefined : `is not supported${advice}`;

const keywords: Readonly<Record<string, Keyword>> = {
  $ref: { check: text },
  $dynamicRef: { check: anything, refused: never(': use $ref') },
  $recursiveRef: { check: anything, refused: never(': use $ref') },
  type: { check: oneOrMoreTypes },
  nullable: { check: flag },
  enum: { check: ['a list', Array.isArray] },
  const: { check: anything },
  allOf: { check: schemas },
  anyOf: { check: someSchemas },
  oneOf: { check: someSchemas },
  // `not: {}` allows nothing, and tools write it for a value that is not there; see ownVerdict.
  not: { check: schema, refused: unless((value) => forbidsAll(value) || value === false) },
  if: {
    check: schema,
    refused: unless((_, { then, else: otherwise }) => then === undefined && otherwise === undefined),
  },

  minLength: { check: count, about: 'string' },
  maxLength: { check: count, about: 'string' },
  pattern: { check: text, about: 'string' },
  format: { check: text, about: 'string' },

  minimum: { check: number, about: 'number' },
  maximum: { check: number, about: 'number' },
  exclusiveMinimum: { check: bound, about: 'number' },
  exclusiveMaximum: { check: bound, about: 'number' },
  multipleOf: { check: number, about: 'number', refused: unless((value) => value === 1) },

  properties: { check: members, about: 'object' },
  required: { check: names, about: 'object' },
  additionalProperties: { check: schema, about: 'object' },
  patternProperties: { check: members, about: 'object' },
  propertyNames: { check: schema, about: 'object' },
  minProperties: { check: count, about: 'object' },
  maxProperties: { check: count, about: 'object' },
  unevaluatedProperties: { check: schema, about: 'object', refused: unless((value) => typeof value === 'boolean') },
  dependencies: { check: anything, refused: unless((value) => isJsonObject(value) && Object.keys(value).length === 0) },
  dependentRequired: { check: anything, refused: never(': use anyOf with required') },
  dependentSchemas: { check: anything, refused: never(': use anyOf') },

  items: { check: ['a schema or a list of schemas', (value) => isSchema(value) || schemas[1](value)], about: 'array' },
  prefixItems: { check: schemas, about: 'array' },
  additionalItems: { check: schema, about: 'array' },
  minItems: { check: count, about: 'array' },
  maxItems: { check: count, about: 'array' },
  uniqueItems: { check: flag, about: 'array' },
  contains: { check: schema, about: 'array', refused: never('') },
  unevaluatedItems: { check: schema, about: 'array', refused: unless((value) => value === true) },
};

function forbidsAll(negated: unknown): boolean {
  return negated === true || (isJsonObject(negated) && Object.keys(negated).length === 0);
}

/** Whether a schema says with `not` that nothing fits. */
export function allowsNothing(schema: JsonObject): boolean {
  return Object.hasOwn(schema, 'not') && forbidsAll(schema['not']);
}

export function keywordsOf(schema: JsonObject): readonly string[] {
  return Object.keys(schema).filter((name) => Object.hasOwn(keywords, name));
}

/** The kind of values that a keyword speaks about. */
export function subjectOf(keyword: string): JsonType | undefined {
  return keywords[keyword]?.about;
}

/** Throws where a keyword has the wrong shape, or asks for something that cannot be promised. */
export function checkKeywords(schema: JsonObject, path: string): void {
  for (const name of keywordsOf(schema)) {
    const { check, refused } = keywords[name] as Keyword;
    const [expected, fits] = check;
    if (!fits(schema[name])) throw schemaError(pathOf(path, name), `has to be ${expected}`);
    const reason = refused?.(schema[name], schema);
    if (reason !== undefined) throw schemaError(pathOf(path, name), reason);
  }
}
