// anyOf, oneOf, allOf and references.

import type { SchemaCase } from '../schema-case.ts';
import { integer, object, string } from './common-schemas.ts';

const tree = {
  type: 'object',
  properties: { value: integer, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
  required: ['value', 'children'],
  additionalProperties: false,
};
const leaf = { value: 1, children: [] };

export const combinedCases: SchemaCase[] = [
  {
    name: 'anyOf with null',
    schema: object({ a: { anyOf: [string, { type: 'null' }], default: null, title: 'A' } }, { required: ['a'] }),
    valid: [{ a: 'x' }, { a: null }],
    invalid: [{ a: 1 }, {}],
  },
  {
    name: 'anyOf of objects',
    schema: {
      anyOf: [
        object({ kind: { const: 'a' }, x: integer }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' } }, { required: ['kind'] }),
      ],
    },
    valid: [{ kind: 'a', x: 1 }, { kind: 'b' }],
    invalid: [{ kind: 'a' }, { kind: 'c' }],
  },
  {
    name: 'anyOf with properties',
    schema: object({ a: integer, b: integer }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    valid: [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    invalid: [{}],
  },
  {
    name: 'anyOf with an undefined branch',
    schema: object({ a: { anyOf: [{ not: {} }, string] } }),
    valid: [{}, { a: '' }],
    invalid: [{ a: 1 }],
  },
  {
    name: 'oneOf of types',
    schema: { oneOf: [integer, string, { type: 'array', items: integer }] },
    valid: [1, 'a', [1]],
    invalid: [null, ['a']],
  },
  {
    name: 'oneOf of constants',
    schema: { oneOf: [{ const: 1, title: 'one' }, { const: 2 }, { enum: ['x', 'y'] }] },
    valid: [1, 2, 'x', 'y'],
    invalid: [3],
  },
  {
    name: 'oneOf of ranges',
    schema: {
      oneOf: [
        { type: 'integer', maximum: 3 },
        { type: 'integer', exclusiveMinimum: 3, maximum: 8 },
      ],
    },
    valid: [3, 4, 8],
    invalid: [9],
  },
  {
    name: 'oneOf with a discriminator',
    schema: {
      oneOf: [
        object({ kind: { const: 'cat' }, meow: string }, { required: ['kind'] }),
        object({ kind: { enum: ['dog', 'wolf'] }, bark: string }, { required: ['kind'] }),
      ],
    },
    valid: [{ kind: 'cat' }, { kind: 'wolf', bark: '' }],
    invalid: [{ kind: 'cat', bark: '' }],
  },
  {
    name: 'oneOf with an optional discriminator',
    schema: {
      oneOf: [
        object({ kind: { const: 'cat', default: 'cat' }, n: integer }),
        object({ kind: { const: 'dog', default: 'dog' }, n: integer }),
      ],
    },
    valid: [{ kind: 'cat', n: 1 }, { kind: 'dog' }],
    invalid: [{}, { n: 1 }],
  },
  {
    name: 'oneOf by required members',
    schema: {
      oneOf: [
        object({ a: integer }, { required: ['a'], additionalProperties: false }),
        object({ b: integer }, { required: ['b'], additionalProperties: false }),
      ],
    },
    valid: [{ a: 1 }, { b: 1 }],
    invalid: [{ a: 1, b: 1 }, {}],
  },
  {
    name: 'oneOf with properties',
    schema: {
      type: 'object',
      properties: { id: integer },
      required: ['id'],
      oneOf: [object({ t: { const: 'x' } }, { required: ['t'] }), object({ t: { const: 'y' } }, { required: ['t'] })],
    },
    valid: [
      { id: 1, t: 'x' },
      { id: 1, t: 'y' },
    ],
    invalid: [{ id: 1 }],
  },
  {
    name: 'allOf of objects',
    schema: { allOf: [object({ a: integer }, { required: ['a'] }), object({ b: string }, { required: ['b'] })] },
    valid: [{ a: 1, b: '' }],
    invalid: [{ a: 1 }, { b: '' }],
  },
  {
    name: 'allOf of bounds',
    schema: {
      allOf: [
        { type: 'integer', minimum: 3 },
        { type: 'number', maximum: 5 },
      ],
    },
    valid: [3, 5],
    invalid: [2, 6, 3.5],
  },
  {
    name: 'allOf of the same member',
    schema: {
      allOf: [object({ a: { minimum: 3 } }), object({ a: { type: 'integer', maximum: 5 } }, { required: ['a'] })],
    },
    valid: [{ a: 3 }, { a: 5 }],
    invalid: [{ a: 2 }, { a: 6 }],
  },
  {
    name: 'allOf and anyOf',
    schema: { allOf: [{ anyOf: [string, integer] }, { anyOf: [integer, { type: 'null' }] }] },
    valid: [1],
    invalid: ['a', null],
  },
  {
    name: 'a reference',
    schema: object(
      { a: { $ref: '#/$defs/name', description: 'beside' } },
      { required: ['a'], $defs: { name: { type: 'string', minLength: 1 } } },
    ),
    valid: [{ a: 'x' }],
    invalid: [{ a: '' }],
  },
  {
    name: 'a reference in allOf',
    schema: object(
      { a: { allOf: [{ $ref: '#/definitions/n' }], default: 1 } },
      { definitions: { n: { type: 'integer', minimum: 1 } } },
    ),
    valid: [{}, { a: 1 }],
    invalid: [{ a: 0 }],
  },
  {
    name: 'a reference to a member',
    schema: object({ a: integer, b: { $ref: '#/properties/a' } }, { required: ['a', 'b'] }),
    valid: [{ a: 1, b: 2 }],
    invalid: [{ a: 1, b: '' }],
  },
  {
    name: 'a reference with escapes',
    schema: { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': integer } },
    valid: [1],
    invalid: ['a'],
  },
  {
    name: 'a tree',
    schema: { $ref: '#/$defs/tree', $defs: { tree } },
    valid: [leaf, { value: 1, children: [leaf, { value: 2, children: [leaf] }] }],
    invalid: [{ value: 1 }],
  },
  {
    name: 'a list',
    schema: { type: 'object', properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, required: ['next'] },
    valid: [{ next: null }, { next: { next: { next: null } } }],
    invalid: [{}],
  },
  {
    name: 'expressions',
    schema: {
      $ref: '#/$defs/e',
      $defs: {
        e: {
          anyOf: [
            { type: 'number' },
            object(
              { op: { const: 'add' }, left: { $ref: '#/$defs/e' }, right: { $ref: '#/$defs/e' } },
              { required: ['op', 'left', 'right'] },
            ),
            object({ op: { const: 'neg' }, of: { $ref: '#/$defs/e' } }, { required: ['op', 'of'] }),
          ],
        },
      },
    },
    valid: [1, { op: 'neg', of: { op: 'add', left: 1, right: 2 } }],
    invalid: [{ op: 'neg' }],
  },
  {
    name: 'an optional tree',
    schema: object({ left: { $ref: '#' }, right: { $ref: '#' } }),
    valid: [{}, { left: { right: {} } }],
    invalid: [{ up: {} }],
  },
  {
    name: 'oneOf of many constants',
    schema: { oneOf: Array.from({ length: 250 }, (_, index) => ({ const: `country ${index}` })) },
    valid: ['country 0', 'country 249'],
    invalid: ['country 250'],
  },
  {
    name: 'JSON as a recursive schema',
    schema: {
      $ref: '#/$defs/json',
      $defs: {
        json: {
          anyOf: [
            string,
            { type: 'number' },
            { type: 'boolean' },
            { type: 'null' },
            { type: 'array', items: { $ref: '#/$defs/json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
          ],
        },
      },
    },
    valid: [1, { a: [null, { b: 'c' }] }],
    invalid: [],
  },
  {
    name: 'optional members that are recursive, and undeclared ones that are',
    schema: {
      $ref: '#/$defs/node',
      $defs: {
        node: object(
          { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } },
          { additionalProperties: { $ref: '#/$defs/node' } },
        ),
      },
    },
    valid: [{}, { right: { left: {}, rig: { x: {} } } }, { lefts: { right: {} } }, { '': {} }],
    invalid: [{ left: 1 }, { le: 1 }, { right: { other: [] } }],
  },
  {
    name: 'branches that start the same way',
    schema: {
      anyOf: [
        object({ a: integer, b: integer }, { required: ['a', 'b'] }),
        object({ a: integer, c: string }, { required: ['a', 'c'] }),
        object({ a: string }),
      ],
    },
    valid: [{ a: 1, b: 1 }, { a: 1, c: '' }, { a: '' }, {}],
    invalid: [{ a: 1 }],
  },
];
