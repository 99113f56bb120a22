import { expect, test } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { convertSchema, schemaToGrammar } from './schema.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };
const member = (schema: unknown) => ({ type: 'object', properties: { age: schema }, required: ['age'] });

test.each<[string, unknown, string[]]>([
  ['multipleOf', member({ type: 'integer', multipleOf: 67 }), ['properties.age.multipleOf']],
  ['a fraction', member({ type: 'number', multipleOf: 0.5 }), ['properties.age.multipleOf']],
  ['regex', { type: 'string', format: 'regex' }, ['format']],
  ['not', member({ type: 'array', items: integer, not: { contains: integer } }), ['properties.age.not']],
  ['if', { ...member(integer), if: { contains: {} }, else: { type: 'string' } }, ['if']],
  ['contains', { type: 'array', items: integer, contains: integer }, ['contains']],
  ['uniqueItems', { type: 'array', items: integer, uniqueItems: true }, ['uniqueItems']],
  ['dependentRequired', { ...member(integer), dependentRequired: { age: 3 } }, ['dependentRequired']],
  [
    'oneOf',
    member({ oneOf: [{ type: 'array', contains: integer }, { type: 'array' }] }),
    ['properties.age.oneOf', 'properties.age.oneOf[0].contains'],
  ],
  ['unevaluatedItems', { type: 'array', unevaluatedItems: false }, ['unevaluatedItems']],
  [
    'a definition that is used',
    { $ref: '#/$defs/x', $defs: { x: { multipleOf: 67 }, y: { multipleOf: 67 } } },
    ['$defs.x.multipleOf'],
  ],
  ['an odd name', { properties: { 'ä b': { multipleOf: 67 } } }, ['properties["ä b"].multipleOf']],
  [
    'several',
    { anyOf: [{ multipleOf: 67 }, { type: 'array', items: { multipleOf: 71 } }] },
    ['anyOf[0].multipleOf', 'anyOf[1].items.multipleOf'],
  ],
])('%s is listed, and the rest is enforced', (_, schema, paths) => {
  const { grammar, unenforced } = convertSchema(schema);
  expect(unenforced).toEqual(paths);
  expect(() => parseGbnf(grammar)).not.toThrow();
});

test.each([
  { type: 'array', items: integer, maxItems: 1, uniqueItems: true },
  { type: 'number', multipleOf: 1 },
  { type: 'integer', multipleOf: 7 },
  { type: 'integer', multipleOf: 64_000 },
  { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true },
  { type: 'array', uniqueItems: false },
  member({ type: 'integer', not: { const: 3 } }),
  { ...member(integer), if: {}, else: { type: 'string' } },
  { ...member(integer), dependentRequired: { a: ['b'] } },
  { properties: { not: integer, contains: integer }, $defs: { unused: { not: integer } } },
  { enum: [{ not: { type: 'string' } }] },
])('%j has none', (schema) => {
  expect(convertSchema(schema).unenforced).toEqual([]);
});

test('a multiple of an integer is an integer', () => {
  expect(schemaToGrammar({ type: 'number', multipleOf: 5 })).toBe(schemaToGrammar({ type: 'integer', multipleOf: 5 }));
});

test('a recursive schema ends, and a long list is cut', () => {
  expect(convertSchema({ properties: { next: { $ref: '#' } }, multipleOf: 67 }).unenforced).toEqual(['multipleOf']);
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`m${index}`, { multipleOf: index + 0.5 }]),
  );
  expect(convertSchema({ properties: many }).unenforced).toHaveLength(20);
});

test.each<[string, readonly unknown[]]>([
  ['equal branches', [string, string]],
  [
    'branches that cannot be negated',
    [
      { type: 'array', items: integer },
      { type: 'array', items: string },
    ],
  ],
  ['recursive branches', [{ $ref: '#' }, { type: 'object' }]],
])('a oneOf with %s is reported', (_, oneOf) => {
  expect(convertSchema(member({ oneOf })).unenforced).toEqual(['properties.age.oneOf']);
});

test('conditions with too many combinations are reported', () => {
  const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const dependentRequired = Object.fromEntries(names.map((name) => [name, ['other']]));
  const properties = Object.fromEntries([...names, 'other'].map((name) => [name, integer]));
  expect(convertSchema({ type: 'object', properties, dependentRequired }).unenforced).toEqual(['dependentRequired']);
});
