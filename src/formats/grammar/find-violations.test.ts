import { expect, test } from 'vitest';
import { findViolations } from './find-violations.ts';
import { convertSchema } from './schema.ts';

const draft4 = 'http://json-schema.org/draft-04/schema#';

const check = (schema: object, value: unknown) =>
  findViolations({ schema, answer: JSON.stringify(value), unenforced: convertSchema(schema).unenforced });

test.each<[schema: object, good: unknown, bad: unknown, path: string]>([
  [{ type: 'array', uniqueItems: true }, [1, 2], [{ a: 1 }, { a: 1 }], 'uniqueItems'],
  [
    { properties: { 'a/ä ~': { contains: { const: 1 } } } },
    { 'a/ä ~': [1] },
    { 'a/ä ~': [2] },
    'properties["a/ä ~"].contains',
  ],
  [{ anyOf: [{ type: 'null' }, { type: 'number', multipleOf: 0.1 }] }, 0.3, 0.35, 'anyOf[1].multipleOf'],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'string', format: 'regex' } } }, 'a+', '(', '$defs.a.format'],
  [
    { type: 'object', properties: { 0: { type: 'array', uniqueItems: true } } },
    { 0: [1] },
    { 0: [1, 1] },
    'properties.0.uniqueItems',
  ],
  [{ $schema: draft4, id: 'x', type: 'array', items: [{}, {}], uniqueItems: true }, [1, 2], [1, 1], 'uniqueItems'],
])('%j', (schema, good, bad, path) => {
  expect(check(schema, good)).toEqual([]);
  expect(check(schema, bad)).toEqual([path]);
});

test('a keyword that should have been enforced is named, too', () => {
  const schema = { type: 'array', items: { type: 'integer' }, uniqueItems: true };
  expect(findViolations({ schema, answer: '["a"]', unenforced: ['uniqueItems'] })).toEqual(['items.type']);
});

test.each([
  ['an answer that is not JSON', { type: 'array', uniqueItems: true }, '[1,'],
  ['a schema of another document', { $ref: 'https://example.com/a' }, '1'],
])('%s is not checked', (_, schema, answer) => {
  expect(findViolations({ schema, answer, unenforced: [] })).toBeUndefined();
});
