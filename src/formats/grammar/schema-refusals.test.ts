// What cannot be promised is refused, with the place and the reason.

import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { limits } from './limits.ts';
import { schemaToGrammar } from './schema.ts';

function refusalOf(schema: unknown): string {
  try {
    schemaToGrammar(schema);
  } catch (error) {
    expect(error).toBeInstanceOf(HearthError);
    expect((error as HearthError).code).toBe('bad_request');
    return (error as HearthError).message;
  }
  throw new Error('it was not refused');
}

const inMember = (schema: unknown): object => ({ type: 'object', properties: { age: schema } });
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const whole = { type: 'integer' };
const text = { type: 'string' };

test.each<[string, unknown, string]>([
  ['multipleOf', inMember({ type: 'integer', multipleOf: 5 }), 'format: properties.age.multipleOf is not supported'],
  ['not', inMember({ not: { type: 'string' } }), 'format: properties.age.not is not supported'],
  ['if', { if: {}, else: { type: 'string' } }, 'format: if is not supported'],
  ['contains', { type: 'array', contains: whole }, 'format: contains is not supported'],
  [
    'uniqueItems',
    inMember({ type: 'array', uniqueItems: true }),
    'format: properties.age.uniqueItems is not supported: elements may repeat',
  ],
  [
    'dependentRequired',
    { dependentRequired: { a: ['b'] } },
    'format: dependentRequired is not supported: use anyOf with required',
  ],
  ['$dynamicRef', { $dynamicRef: '#x' }, 'format: $dynamicRef is not supported: use $ref'],
  ['unevaluatedItems', { type: 'array', unevaluatedItems: false }, 'format: unevaluatedItems is not supported'],
  [
    'inside a definition',
    { $ref: '#/$defs/x', $defs: { x: { multipleOf: 2 } } },
    'format: $defs.x.multipleOf is not supported',
  ],
  [
    'an odd name',
    { properties: { 'a b': { multipleOf: 2 } } },
    'format: properties["a b"].multipleOf is not supported',
  ],
  ['an element', { anyOf: [text, { multipleOf: 2 }] }, 'format: anyOf[1].multipleOf is not supported'],
])('%s', (_, schema, message) => {
  expect(refusalOf(schema)).toBe(message);
});

describe('references', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'outside',
      { $ref: 'https://example.com/x.json' },
      /^format: \$ref points outside of the schema, which is not supported/,
    ],
    ['to a file', inMember({ $ref: 'x.json#/a' }), /^format: properties\.age\.\$ref points outside/],
    ['to nothing', { $ref: '#/$defs/x' }, /points to nothing: "#\/\$defs\/x"/],
    ['to what every object has', { $ref: '#/constructor' }, /points to nothing/],
    ['to no schema', { $ref: '#/title', title: 'x' }, /points to no schema/],
    ['to an anchor', { $ref: '#x', $defs: { x: { $anchor: 'x' } } }, /is no path/],
    ['to itself', { $ref: '#' }, /refers to itself without anything in between/],
    [
      'in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      /refers to itself/,
    ],
    ['to itself in anyOf', { anyOf: [text, { $ref: '#' }] }, /refers to itself/],
  ])('%s', (_, schema, message) => {
    expect(refusalOf(schema)).toMatch(message);
  });
});

describe('contradictions', () => {
  test.each<[string, unknown, RegExp]>([
    ['false', false, /^format: the schema allows no value$/],
    [
      'a member that cannot be',
      { ...inMember(false), required: ['age'] },
      /^format: the schema requires "age" and does not allow it/,
    ],
    ['a nested one', object({ a: { allOf: [false] } }, { required: ['a'] }), /^format: properties\.a allows no value/],
    ['bounds', inMember({ type: 'integer', minimum: 5, maximum: 3 }), /^format: properties\.age allows no integer/],
    ['bounds between integers', { type: 'integer', minimum: 1.2, maximum: 1.8 }, /allows no integer/],
    ['exclusive bounds', { type: 'number', exclusiveMinimum: 1, maximum: 1 }, /allows no number/],
    ['far away', { type: 'integer', minimum: 1e30 }, /allows no integer that can be written/],
    ['lengths', { type: 'string', minLength: 3, maxLength: 2 }, /allows no string/],
    ['patterns', { type: 'string', allOf: [{ pattern: '^a$' }, { pattern: '^b$' }] }, /allows no string/],
    ['a pattern and a length', { type: 'string', pattern: '^a{3}$', maxLength: 2 }, /allows no string/],
    ['counts', { type: 'array', minItems: 3, maxItems: 2 }, /allows no array/],
    ['types', { allOf: [text, whole] }, /its types exclude each other/],
    ['an enum', { type: 'integer', enum: ['a', 'b'] }, /none of those it lists fits/],
    ['constants', { allOf: [{ const: 1 }, { const: 2 }] }, /none of those it lists fits/],
    [
      'too many members',
      object({ a: whole, b: whole }, { required: ['a', 'b'], maxProperties: 1 }),
      /requires more members than maxProperties/,
    ],
    ['too few members', object({ a: whole }, { minProperties: 2 }), /asks for 2 members/],
    ['equal names', { type: 'object', additionalProperties: whole, minProperties: 2 }, /asks for 2 members/],
    [
      'a required name that is no name',
      { required: ['b'], propertyNames: { pattern: '^a$' } },
      /requires "b" and does not allow it/,
    ],
    ['no end', object({ next: { $ref: '#' } }, { required: ['next'] }), /values without an end/],
    ['no end in elements', { type: 'array', minItems: 1, items: { $ref: '#' } }, /values without an end/],
  ])('%s', (_, schema, message) => {
    expect(refusalOf(schema)).toMatch(message);
  });

  test('in one branch only leave the others', () => {
    expect(schemaToGrammar({ type: 'string', anyOf: [{ minLength: 3 }, { type: 'integer' }, false] })).toContain(
      'char',
    );
  });
});

describe('oneOf whose branches could both hold', () => {
  test.each<[string, readonly unknown[]]>([
    ['the same', [text, text]],
    ['an integer is a number', [whole, { type: 'number' }]],
    [
      'patterns',
      [
        { type: 'string', pattern: '^a' },
        { type: 'string', pattern: 'b$' },
      ],
    ],
    [
      'ranges that touch',
      [
        { type: 'integer', maximum: 3 },
        { type: 'integer', minimum: 3 },
      ],
    ],
    ['the same constant', [{ const: 1 }, { enum: [1, 2] }]],
    ['a constant of the type', [{ const: 'a' }, text]],
    ['objects alike', [object({ a: whole }), object({ a: whole, b: whole })]],
    [
      'more members than needed',
      [object({ a: whole }, { required: ['a'] }), object({ a: whole, b: whole }, { required: ['a', 'b'] })],
    ],
    ['no type at all', [{ properties: { a: whole } }, text]],
  ])('%s', (_, oneOf) => {
    expect(refusalOf(inMember({ oneOf }))).toMatch(
      /^format: properties\.age\.oneOf has branches \d and \d that could both hold/,
    );
  });
});

describe('patterns', () => {
  test.each([
    ['(a)\\1', /it has \\1$/],
    ['\\bword\\b', /it has \\b$/],
    ['\\p{L}+', /it has \\p$/],
    ['(?<=a)b', /looks ahead or behind/],
    ['a(?=b)', /looks ahead or behind/],
    ['(?!a)b', /looks ahead without \^/],
    ['a^b', /has a \^ in a place/],
    ['a$b', /has a \$ in a place/],
    ['(a$)', /has a \$ in a place/],
    ['(a', /group without its end/],
    ['a)', /has a \) in a place/],
    ['[a', /ends too early/],
    ['[b-a]', /runs backwards/],
    ['a**', /two quantifiers/],
    ['*a', /has a \* in a place/],
    ['a{3,2}', /from 3 down to 2/],
    ['a{x}', /no quantifier/],
    ['\\', /ends too early/],
    ['\\u12', /without a character/],
    ['a{999999999}', /counts beyond/],
    ['a'.repeat(3000), /is longer than/],
    [`${'('.repeat(40)}a${')'.repeat(40)}`, /groups inside each other/],
  ])('%s', (pattern, message) => {
    const refusal = refusalOf({ type: 'string', pattern });
    expect(refusal).toMatch(/^format: pattern is /);
    expect(refusal).toMatch(message);
  });
});

test('keywords of the wrong shape', () => {
  expect(refusalOf({ type: 'text' })).toBe(
    'format: type has to be null, boolean, string, number, integer, object, array or a list of those',
  );
  expect(refusalOf(inMember({ minLength: -1 }))).toBe(
    'format: properties.age.minLength has to be a whole number, zero or more',
  );
  expect(refusalOf({ properties: [] })).toBe('format: properties has to be an object of schemas');
  expect(refusalOf({ required: [1] })).toBe('format: required has to be a list of strings');
  expect(refusalOf({ anyOf: [] })).toBe('format: anyOf has to be a list of one schema or more');
  expect(refusalOf({ items: 'string' })).toBe('format: items has to be a schema or a list of schemas');
  expect(refusalOf([])).toBe('format: the schema has to be an object');
  expect(refusalOf('json')).toBe('format: the schema has to be an object');
});

test('names of members under two patterns', () => {
  expect(refusalOf({ patternProperties: { '^a': whole, '^b': text } })).toMatch(
    /one pattern for names is, not several/,
  );
});

test('branches of a recursive schema that begin alike', () => {
  const node = (kind: string) =>
    object({ of: { $ref: '#/$defs/n' }, kind: { const: kind }, [kind]: text }, { required: ['kind'] });
  const schema = { $ref: '#/$defs/n', $defs: { n: { anyOf: [node('a'), node('b'), text] } } };
  expect(refusalOf(schema)).toMatch(/is recursive through branches that begin alike/);
});

test('counts beyond the limit', () => {
  expect(refusalOf({ type: 'string', maxLength: limits.repetition + 1 })).toMatch(
    /counts to 100001; the limit is 100000/,
  );
  expect(refusalOf({ type: 'array', minItems: 1e9 })).toMatch(/counts to/);
});
