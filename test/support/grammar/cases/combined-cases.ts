// anyOf, oneOf, allOf and references.

import type { SchemaCase } from '../schema-case.ts';
import { object, text, whole } from './pieces.ts';

const tree = {
  type: 'object',
  properties: { value: whole, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
  required: ['value', 'children'],
  additionalProperties: false,
};
const leaf = { value: 1, children: [] };

export const combinedCases: SchemaCase[] = [
  {
    name: 'anyOf with null',
    schema: object({ a: { anyOf: [text, { type: 'null' }], default: null, title: 'A' } }, { required: ['a'] }),
    fits: [{ a: 'x' }, { a: null }],
    misfits: [{ a: 1 }, {}],
  },
  {
    name: 'anyOf of objects',
    schema: {
      anyOf: [
        object({ kind: { const: 'a' }, x: whole }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' } }, { required: ['kind'] }),
      ],
    },
    fits: [{ kind: 'a', x: 1 }, { kind: 'b' }],
    misfits: [{ kind: 'a' }, { kind: 'c' }],
  },
  {
    name: 'anyOf beside properties',
    schema: object({ a: whole, b: whole }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    fits: [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    misfits: [{}],
  },
  {
    name: 'anyOf with an undefined branch',
    schema: object({ a: { anyOf: [{ not: {} }, text] } }),
    fits: [{}, { a: '' }],
    misfits: [{ a: 1 }],
  },
  {
    name: 'oneOf of types',
    schema: { oneOf: [whole, text, { type: 'array', items: whole }] },
    fits: [1, 'a', [1]],
    misfits: [null, ['a']],
  },
  {
    name: 'oneOf of constants',
    schema: { oneOf: [{ const: 1, title: 'one' }, { const: 2 }, { enum: ['x', 'y'] }] },
    fits: [1, 2, 'x', 'y'],
    misfits: [3],
  },
  {
    name: 'oneOf of ranges',
    schema: {
      oneOf: [
        { type: 'integer', maximum: 3 },
        { type: 'integer', exclusiveMinimum: 3, maximum: 8 },
      ],
    },
    fits: [3, 4, 8],
    misfits: [9],
  },
  {
    name: 'oneOf with a discriminator',
    schema: {
      oneOf: [
        object({ kind: { const: 'cat' }, meow: text }, { required: ['kind'] }),
        object({ kind: { enum: ['dog', 'wolf'] }, bark: text }, { required: ['kind'] }),
      ],
    },
    fits: [{ kind: 'cat' }, { kind: 'wolf', bark: '' }],
    misfits: [{ kind: 'cat', bark: '' }],
  },
  {
    name: 'oneOf with a discriminator by default',
    schema: {
      oneOf: [
        object({ kind: { const: 'cat', default: 'cat' }, n: whole }),
        object({ kind: { const: 'dog', default: 'dog' }, n: whole }),
      ],
    },
    fits: [{ kind: 'cat', n: 1 }, { kind: 'dog' }],
    misfits: [{}, { n: 1 }],
  },
  {
    name: 'oneOf by required members',
    schema: {
      oneOf: [
        object({ a: whole }, { required: ['a'], additionalProperties: false }),
        object({ b: whole }, { required: ['b'], additionalProperties: false }),
      ],
    },
    fits: [{ a: 1 }, { b: 1 }],
    misfits: [{ a: 1, b: 1 }, {}],
  },
  {
    name: 'oneOf beside properties',
    schema: {
      type: 'object',
      properties: { id: whole },
      required: ['id'],
      oneOf: [object({ t: { const: 'x' } }, { required: ['t'] }), object({ t: { const: 'y' } }, { required: ['t'] })],
    },
    fits: [
      { id: 1, t: 'x' },
      { id: 1, t: 'y' },
    ],
    misfits: [{ id: 1 }],
  },
  {
    name: 'allOf of objects',
    schema: { allOf: [object({ a: whole }, { required: ['a'] }), object({ b: text }, { required: ['b'] })] },
    fits: [{ a: 1, b: '' }],
    misfits: [{ a: 1 }, { b: '' }],
  },
  {
    name: 'allOf of bounds',
    schema: {
      allOf: [
        { type: 'integer', minimum: 3 },
        { type: 'number', maximum: 5 },
      ],
    },
    fits: [3, 5],
    misfits: [2, 6, 3.5],
  },
  {
    name: 'allOf of the same member',
    schema: {
      allOf: [object({ a: { minimum: 3 } }), object({ a: { type: 'integer', maximum: 5 } }, { required: ['a'] })],
    },
    fits: [{ a: 3 }, { a: 5 }],
    misfits: [{ a: 2 }, { a: 6 }],
  },
  {
    name: 'allOf and anyOf',
    schema: { allOf: [{ anyOf: [text, whole] }, { anyOf: [whole, { type: 'null' }] }] },
    fits: [1],
    misfits: ['a', null],
  },
  {
    name: 'a reference',
    schema: object(
      { a: { $ref: '#/$defs/name', description: 'beside' } },
      { required: ['a'], $defs: { name: { type: 'string', minLength: 1 } } },
    ),
    fits: [{ a: 'x' }],
    misfits: [{ a: '' }],
  },
  {
    name: 'a reference in allOf',
    schema: object(
      { a: { allOf: [{ $ref: '#/definitions/n' }], default: 1 } },
      { definitions: { n: { type: 'integer', minimum: 1 } } },
    ),
    fits: [{}, { a: 1 }],
    misfits: [{ a: 0 }],
  },
  {
    name: 'a reference to a member',
    schema: object({ a: whole, b: { $ref: '#/properties/a' } }, { required: ['a', 'b'] }),
    fits: [{ a: 1, b: 2 }],
    misfits: [{ a: 1, b: '' }],
  },
  {
    name: 'a reference with escapes',
    schema: { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': whole } },
    fits: [1],
    misfits: ['a'],
  },
  {
    name: 'a tree',
    schema: { $ref: '#/$defs/tree', $defs: { tree } },
    fits: [leaf, { value: 1, children: [leaf, { value: 2, children: [leaf] }] }],
    misfits: [{ value: 1 }],
  },
  {
    name: 'a list',
    schema: { type: 'object', properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, required: ['next'] },
    fits: [{ next: null }, { next: { next: { next: null } } }],
    misfits: [{}],
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
    fits: [1, { op: 'neg', of: { op: 'add', left: 1, right: 2 } }],
    misfits: [{ op: 'neg' }],
  },
  {
    name: 'an optional tree',
    schema: object({ left: { $ref: '#' }, right: { $ref: '#' } }),
    fits: [{}, { left: { right: {} } }],
    misfits: [{ up: {} }],
  },
  {
    name: 'one of many constants',
    schema: { oneOf: Array.from({ length: 250 }, (_, index) => ({ const: `country ${index}` })) },
    fits: ['country 0', 'country 249'],
    misfits: ['country 250'],
  },
  {
    name: 'JSON by reference',
    schema: {
      $ref: '#/$defs/json',
      $defs: {
        json: {
          anyOf: [
            text,
            { type: 'number' },
            { type: 'boolean' },
            { type: 'null' },
            { type: 'array', items: { $ref: '#/$defs/json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
          ],
        },
      },
    },
    fits: [1, { a: [null, { b: 'c' }] }],
    misfits: [],
  },
  {
    name: 'branches that begin alike',
    schema: {
      anyOf: [
        object({ a: whole, b: whole }, { required: ['a', 'b'] }),
        object({ a: whole, c: text }, { required: ['a', 'c'] }),
        object({ a: text }),
      ],
    },
    fits: [{ a: 1, b: 1 }, { a: 1, c: '' }, { a: '' }, {}],
    misfits: [{ a: 1 }],
  },
];
