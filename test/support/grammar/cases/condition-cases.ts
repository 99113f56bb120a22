// Negations, conditions, dependencies, and branches that exclude each other only by what they lack.

import type { SchemaCase } from '../schema-case.ts';
import { integer, string } from './common-schemas.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const when = (condition: object, met: object) =>
  Object.fromEntries([
    ['if', condition],
    ['then', met],
  ]);
const shape = { kind: { enum: ['circle', 'square'] }, radius: integer, side: integer };

export const conditionCases: SchemaCase[] = [
  { name: 'not a constant', schema: { ...string, not: { const: 'a' } }, valid: ['b', 'ab', ''], invalid: ['a', 1] },
  {
    name: 'no listed text',
    schema: { ...string, not: { enum: ['a.', 'b'] } },
    valid: ['ab', 'a'],
    invalid: ['a.', 'b'],
  },
  { name: 'no listed number', schema: { ...integer, not: { enum: [0, 3] } }, valid: [-1, 1, 2, 4], invalid: [0, 3] },
  { name: 'not true', schema: { not: { const: true } }, valid: [false, null, 'true', 1], invalid: [true] },
  { name: 'not a type', schema: { not: { type: ['object', 'array'] } }, valid: ['a', 1], invalid: [{}, []] },
  { name: 'not a pattern', schema: { ...string, not: { pattern: '^a' } }, valid: ['ba', ''], invalid: ['a', 'ab'] },
  { name: 'not not', schema: { ...integer, not: { not: { minimum: 3 } } }, valid: [3], invalid: [2] },
  { name: 'not a range', schema: { ...integer, not: { minimum: 3, maximum: 5 } }, valid: [2, 6], invalid: [3, 4, 5] },
  {
    name: 'not a reference',
    schema: { ...string, not: { $ref: '#/$defs/short' }, $defs: { short: { maxLength: 2 } } },
    valid: ['abc'],
    invalid: ['ab', ''],
  },
  {
    name: 'without a member',
    schema: object({ a: integer, b: integer }, { not: { required: ['a'] } }),
    valid: [{}, { b: 1 }],
    invalid: [{ a: 1 }, { a: 1, b: 1 }],
  },
  {
    name: 'not both members',
    schema: object({ a: integer, b: integer }, { not: { required: ['a', 'b'] } }),
    valid: [{}, { a: 1 }, { b: 1 }],
    invalid: [{ a: 1, b: 1 }],
  },
  {
    name: 'neither',
    schema: object(
      { a: integer, b: integer, c: integer },
      { not: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } },
    ),
    valid: [{}, { c: 1 }],
    invalid: [{ a: 1 }, { b: 1 }],
  },
  {
    name: 'a member with another value',
    schema: object({ a: string }, { not: { properties: { a: { const: 'x' } }, required: ['a'] } }),
    valid: [{}, { a: 'y' }],
    invalid: [{ a: 'x' }],
  },
  {
    name: 'if, then, else',
    schema: object(shape, {
      required: ['kind'],
      ...when({ properties: { kind: { const: 'circle' } } }, { required: ['radius'] }),
      else: { required: ['side'] },
    }),
    valid: [
      { kind: 'circle', radius: 1 },
      { kind: 'square', side: 1 },
    ],
    invalid: [{ kind: 'circle' }, { kind: 'square', radius: 1 }, {}],
  },
  {
    name: 'several conditions',
    schema: object(shape, {
      required: ['kind'],
      allOf: [
        when({ properties: { kind: { const: 'circle' } } }, { required: ['radius'] }),
        when({ properties: { kind: { const: 'square' } } }, { required: ['side'] }),
      ],
    }),
    valid: [
      { kind: 'circle', radius: 1 },
      { kind: 'square', radius: 1, side: 1 },
    ],
    invalid: [{ kind: 'circle' }, { kind: 'square', radius: 1 }],
  },
  {
    name: 'a member that needs another',
    schema: object({ card: integer, address: string }, { dependentRequired: { card: ['address'] } }),
    valid: [{}, { address: 'a' }, { card: 1, address: 'a' }],
    invalid: [{ card: 1 }],
  },
  {
    name: 'a member that brings a schema',
    schema: object({ card: integer, address: string }, { dependentSchemas: { card: { required: ['address'] } } }),
    valid: [{}, { card: 1, address: 'a' }],
    invalid: [{ card: 1 }],
  },
  {
    name: 'dependencies of draft 7',
    schema: object(
      { a: integer, b: integer },
      { dependencies: { a: ['b'], b: { properties: { b: { minimum: 3 } } } } },
    ),
    valid: [{}, { b: 3 }, { a: 1, b: 3 }],
    invalid: [{ a: 1 }, { b: 2 }],
  },
  {
    name: 'exactly one of two members',
    schema: object({ a: integer, b: integer }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    valid: [{ a: 1 }, { b: 1 }],
    invalid: [{}, { a: 1, b: 1 }],
  },
  {
    name: 'an integer, or a number that is not too large',
    schema: { oneOf: [integer, { type: 'number', maximum: 3 }] },
    valid: [4],
    invalid: [2],
  },
  {
    name: 'a constant and its type',
    schema: { oneOf: [{ const: 'a' }, string] },
    valid: ['b', ''],
    invalid: ['a'],
  },
  {
    name: 'a tree by a dynamic reference',
    schema: {
      $dynamicAnchor: 'node',
      ...object({ name: string, children: { type: 'array', items: { $dynamicRef: '#node' } } }),
      additionalProperties: false,
    },
    valid: [{}, { name: 'a', children: [{ name: 'b' }] }],
    invalid: [{ children: [1] }, { children: [{ children: [{ name: 1 }] }] }],
  },
  {
    name: 'an anchor',
    schema: { type: 'array', items: { $ref: '#count' }, $defs: { count: { $anchor: 'count', ...integer } } },
    valid: [[], [1]],
    invalid: [['a']],
  },
  {
    name: 'anchors in groups',
    schema: { ...string, pattern: '(^|,)ab($|,)' },
    valid: ['ab', 'x,ab', 'ab,', ',ab,x'],
    invalid: ['xab', 'abx', ''],
  },
  {
    name: 'anchors of some options',
    schema: { ...string, pattern: '(?:^a|b$)' },
    valid: ['ax', 'xb'],
    invalid: ['xa', 'bx', ''],
  },
];
