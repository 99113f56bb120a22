// Types, enum and const.

import type { SchemaCase } from '../schema-case.ts';
import { integer, string } from './common-schemas.ts';

export const scalarCases: SchemaCase[] = [
  { name: 'anything', schema: true, valid: [1, 'a', null, [1, { a: [] }], {}], invalid: [] },
  { name: 'an empty schema', schema: {}, valid: [{ a: 1 }, -1.5e9], invalid: [] },
  { name: 'a string', schema: string, valid: ['', 'a"\\\n', 'ü😀'], invalid: [1, null] },
  { name: 'a boolean', schema: { type: 'boolean' }, valid: [true, false], invalid: ['true', null] },
  { name: 'null', schema: { type: 'null' }, valid: [null], invalid: [0] },
  { name: 'an integer', schema: integer, valid: [0, -7, 1234567890123456], invalid: [1.5, '1'] },
  { name: 'a number', schema: { type: 'number' }, valid: [0, -7, 0.25, 1e21], invalid: ['1'] },
  {
    name: 'several types',
    schema: { type: ['string', 'integer', 'null'] },
    valid: ['a', 1, null],
    invalid: [1.5, true],
  },
  { name: 'integer or number', schema: { type: ['integer', 'number'] }, valid: [1, 1.5], invalid: ['1'] },
  { name: 'nullable', schema: { type: 'string', nullable: true, minLength: 2 }, valid: [null, 'ab'], invalid: ['a'] },
  { name: 'multipleOf 1', schema: { type: 'number', multipleOf: 1 }, valid: [3], invalid: [3.5] },
];

export const enumCases: SchemaCase[] = [
  {
    name: 'enum',
    schema: { enum: ['a', 'b', 1, null, 'a"\\\n\u0001'] },
    valid: ['a', 'b', 1, null, 'a"\\\n\u0001'],
    invalid: ['c', 2],
  },
  {
    name: 'enum of prefixes',
    schema: { enum: ['a', 'ab', 'abc', '', '😀', '😁'] },
    valid: ['', 'a', 'ab', 'abc', '😀', '😁'],
    invalid: ['abcd', '😂'],
  },
  {
    name: 'const',
    schema: { const: { a: [1, { b: null }], c: 'd' } },
    valid: [{ a: [1, { b: null }], c: 'd' }],
    invalid: [{ a: [1], c: 'd' }],
  },
  { name: 'const false', schema: { const: false }, valid: [false], invalid: [true] },
  {
    name: 'enum and type',
    schema: { type: 'string', enum: ['a', 1, 'bb'], minLength: 2 },
    valid: ['bb'],
    invalid: ['a', 1],
  },
  {
    name: 'enum and pattern',
    schema: { enum: ['ab', 'b', 'ca'], pattern: '^[abc]+a$|b$' },
    valid: ['ab', 'b', 'ca'],
    invalid: [],
  },
  {
    name: 'enum and bounds',
    schema: { enum: [1, 2, 3, 4.5, 'x'], type: 'number', minimum: 2, exclusiveMaximum: 4.5 },
    valid: [2, 3],
    invalid: [1, 4.5],
  },
  {
    name: 'enum and const',
    schema: { allOf: [{ enum: [1, 2, { a: 1, b: 2 }] }, { enum: [{ b: 2, a: 1 }, 2] }] },
    valid: [2, { a: 1, b: 2 }],
    invalid: [1],
  },
  {
    name: 'enum of objects',
    schema: { enum: [{ a: 1 }, { a: 2, b: 1 }], required: ['b'] },
    valid: [{ a: 2, b: 1 }],
    invalid: [{ a: 1 }],
  },
];
