// Schemas that cannot be enforced are refused with the path and the reason.

import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { grammarLimits } from './limits/limits.ts';
import { schemaToGrammar } from './schema.ts';

function refusalOf(schema: unknown): string {
  try {
    schemaToGrammar(schema);
  } catch (error) {
    expect(error).toBeInstanceOf(HearthError);
    expect((error as HearthError).code).toBe('bad_request');
    return (error as HearthError).message;
  }
  throw new Error('the schema was not refused');
}

const inMember = (schema: unknown): object => ({ type: 'object', properties: { age: schema } });
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const integer = { type: 'integer' };
const string = { type: 'string' };

test.each<[string, unknown, string]>([
  ['$dynamicRef', { $dynamicRef: '#x' }, 'format: $dynamicRef cannot be resolved: "#x"'],
  ['in a member', inMember({ $dynamicRef: '#x' }), 'format: properties.age.$dynamicRef cannot be resolved: "#x"'],
  [
    'inside a definition',
    { $ref: '#/$defs/x', $defs: { x: { multipleOf: '2' } } },
    'format: $defs.x.multipleOf must be a number',
  ],
  [
    'an odd name',
    { properties: { 'a b': { $dynamicRef: '#x' } } },
    'format: properties["a b"].$dynamicRef cannot be resolved: "#x"',
  ],
  ['an element', { anyOf: [string, { $dynamicRef: '#x' }] }, 'format: anyOf[1].$dynamicRef cannot be resolved: "#x"'],
])('%s', (_, schema, message) => {
  expect(refusalOf(schema)).toBe(message);
});

describe('references', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'to another document',
      { $ref: 'https://example.com/x.json' },
      /^format: \$ref refers to another document, which is not supported/,
    ],
    ['to a file', inMember({ $ref: 'x.json#/a' }), /^format: properties\.age\.\$ref refers to another document/],
    ['to a missing definition', { $ref: '#/$defs/x' }, /cannot be resolved: "#\/\$defs\/x"/],
    ['to an inherited property', { $ref: '#/constructor' }, /cannot be resolved/],
    ['to something else than a schema', { $ref: '#/title', title: 'x' }, /does not point to a schema/],
    [
      'to two anchors',
      { $ref: '#x', $defs: { x: { $anchor: 'x' }, y: { $anchor: 'x' } } },
      /refers to several anchors/,
    ],
    ['to itself', { $ref: '#' }, /refers to itself directly/],
    [
      'in a cycle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      /refers to itself/,
    ],
    ['to itself in anyOf', { anyOf: [string, { $ref: '#' }] }, /refers to itself/],
  ])('%s', (_, schema, message) => {
    expect(refusalOf(schema)).toMatch(message);
  });
});

describe('unevaluatedProperties in a schema that is combined by others', () => {
  const closed = { properties: { a: integer }, unevaluatedProperties: false };
  test.each<[string, object]>([
    ['the first of several', { allOf: [closed, { properties: { b: integer } }] }],
    ['the last of several', { allOf: [{ properties: { b: integer } }, closed] }],
    ['next to a union', { allOf: [closed], anyOf: [{ properties: { b: integer } }] }],
    ['of a member', { properties: { c: closed }, allOf: [{ properties: { c: { properties: { b: integer } } } }] }],
  ])('%s', (_, schema) => {
    expect(refusalOf(schema)).toMatch(
      /unevaluatedProperties is not supported in a schema that is combined with others/,
    );
  });
});

describe('contradictions', () => {
  test.each<[string, unknown, RegExp]>([
    ['false', false, /^format: the schema allows no value$/],
    [
      'a required member that is false',
      { ...inMember(false), required: ['age'] },
      /^format: the schema requires "age" but does not allow it/,
    ],
    [
      'a nested contradiction',
      object({ a: { allOf: [false] } }, { required: ['a'] }),
      /^format: properties\.a allows no value/,
    ],
    [
      'bounds',
      { ...inMember({ type: 'integer', minimum: 5, maximum: 3 }), required: ['age'] },
      /^format: properties\.age allows no integer/,
    ],
    ['bounds between integers', { type: 'integer', minimum: 1.2, maximum: 1.8 }, /allows no integer/],
    ['exclusive bounds', { type: 'number', exclusiveMinimum: 1, maximum: 1 }, /allows no number/],
    ['bounds out of range', { type: 'integer', minimum: 1e30 }, /allows no integer that can be generated/],
    ['lengths', { type: 'string', minLength: 3, maxLength: 2 }, /allows no string/],
    ['an anchor inside', { type: 'string', pattern: 'a^b' }, /allows no string/],
    ['patterns', { type: 'string', allOf: [{ pattern: '^a$' }, { pattern: '^b$' }] }, /allows no string/],
    ['a pattern and a length', { type: 'string', pattern: '^a{3}$', maxLength: 2 }, /allows no string/],
    ['counts', { type: 'array', minItems: 3, maxItems: 2 }, /allows no array/],
    ['types', { allOf: [string, integer] }, /its types are disjoint/],
    ['an enum', { type: 'integer', enum: ['a', 'b'] }, /none of its enum or const values/],
    ['constants', { allOf: [{ const: 1 }, { const: 2 }] }, /none of its enum or const values/],
    [
      'too many members',
      object({ a: integer, b: integer }, { required: ['a', 'b'], maxProperties: 1 }),
      /requires more members than maxProperties/,
    ],
    ['too few members', object({ a: integer }, { minProperties: 2 }), /requires 2 members/],
    [
      'extra names that may be equal',
      { type: 'object', additionalProperties: integer, minProperties: 2 },
      /requires 2 members/,
    ],
    [
      'a required name that propertyNames excludes',
      { required: ['b'], propertyNames: { pattern: '^a$' } },
      /requires "b" but does not allow it/,
    ],
    ['required recursion', object({ next: { $ref: '#' } }, { required: ['next'] }), /allows no finite value/],
    ['required recursion in elements', { type: 'array', minItems: 1, items: { $ref: '#' } }, /allows no finite value/],
  ])('%s', (_, schema, message) => {
    expect(refusalOf(schema)).toMatch(message);
  });

  test('a contradiction in one branch leaves the others', () => {
    expect(schemaToGrammar({ type: 'string', anyOf: [{ minLength: 3 }, { type: 'integer' }, false] })).toContain(
      'char',
    );
  });
});

describe('patterns', () => {
  test.each([
    ['(a)\\1', /it contains \\1, before character 6$/],
    ['\\bword\\b', /it contains \\b, before character 3$/],
    ['\\p{L}+', /it contains \\p, before character 3$/],
    ['(?<=a)b', /has a lookahead or lookbehind/],
    ['a(?=b)', /has a lookahead or lookbehind/],
    ['(?!a)b', /has a lookahead without \^/],
    ['(a', /unclosed group/],
    ['a)', /has a \) where/],
    ['[a', /ends unexpectedly/],
    ['[b-a]', /in reverse order/],
    ['a**', /two quantifiers/],
    ['*a', /has a \* where/],
    ['a{3,2}', /maximum 2 is below its minimum 3/],
    ['a{x}', /not a quantifier/],
    ['\\', /ends unexpectedly/],
    ['\\u12', /invalid \\u escape/],
    ['a{999999999}', /repeats more than/],
    ['a'.repeat(3000), /is longer than/],
    [`${'('.repeat(40)}a${')'.repeat(40)}`, /groups nested more than/],
  ])('%s', (pattern, message) => {
    const refusal = refusalOf({ type: 'string', pattern });
    expect(refusal).toMatch(/^format: pattern is /);
    expect(refusal).toMatch(message);
  });
});

test('keywords with invalid values', () => {
  expect(refusalOf({ type: 'text' })).toBe(
    'format: type must be null, boolean, string, number, integer, object, array or an array of those',
  );
  expect(refusalOf(inMember({ minLength: -1 }))).toBe(
    'format: properties.age.minLength must be a non-negative integer',
  );
  expect(refusalOf({ properties: [] })).toBe('format: properties must be an object of schemas');
  expect(refusalOf({ required: [1] })).toBe('format: required must be an array of strings');
  expect(refusalOf({ anyOf: [] })).toBe('format: anyOf must be a non-empty array of schemas');
  expect(refusalOf({ items: 'string' })).toBe('format: items must be a schema or an array of schemas');
  expect(refusalOf([])).toBe('format: the schema must be an object');
  expect(refusalOf('json')).toBe('format: the schema must be an object');
});

test('two patternProperties, one of them with a lookahead', () => {
  expect(refusalOf({ patternProperties: { '^(?!b)': integer, '^b': string } })).toMatch(/must be the only one/);
});

test('branches of a recursive schema that start the same way', () => {
  const node = (kind: string) =>
    object({ of: { $ref: '#/$defs/n' }, kind: { const: kind }, [kind]: string }, { required: ['kind'] });
  const schema = { $ref: '#/$defs/n', $defs: { n: { anyOf: [node('a'), node('b'), string] } } };
  expect(refusalOf(schema)).toMatch(/is recursive through branches that start the same way/);
});

test('counts above the limit', () => {
  expect(refusalOf({ type: 'string', maxLength: grammarLimits.repetition + 1 })).toMatch(
    /counts to 100001; the limit is 100000/,
  );
  expect(refusalOf({ type: 'array', minItems: 1e9 })).toMatch(/counts to/);
});
