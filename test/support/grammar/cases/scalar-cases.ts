// Types and listed values.

import type { SchemaCase } from '../schema-case.ts';
import { text, whole } from './pieces.ts';

export const scalarCases: SchemaCase[] = [
  { name: 'anything', schema: true, fits: [1, 'a', null, [1, { a: [] }], {}], misfits: [] },
  { name: 'an empty schema', schema: {}, fits: [{ a: 1 }, -1.5e9], misfits: [] },
  { name: 'a string', schema: text, fits: ['', 'a"\\\n', 'ü😀'], misfits: [1, null] },
  { name: 'a boolean', schema: { type: 'boolean' }, fits: [true, false], misfits: ['true', null] },
  { name: 'null', schema: { type: 'null' }, fits: [null], misfits: [0] },
  { name: 'an integer', schema: whole, fits: [0, -7, 1234567890123456], misfits: [1.5, '1'] },
  { name: 'a number', schema: { type: 'number' }, fits: [0, -7, 0.25, 1e21], misfits: ['1'] },
  {
    name: 'several types',
    schema: { type: ['string', 'integer', 'null'] },
    fits: ['a', 1, null],
    misfits: [1.5, true],
  },
  { name: 'integer or number', schema: { type: ['integer', 'number'] }, fits: [1, 1.5], misfits: ['1'] },
  { name: 'nullable', schema: { type: 'string', nullable: true, minLength: 2 }, fits: [null, 'ab'], misfits: ['a'] },
  { name: 'multipleOf 1', schema: { type: 'number', multipleOf: 1 }, fits: [3], misfits: [3.5] },
];

export const enumCases: SchemaCase[] = [
  {
    name: 'enum',
    schema: { enum: ['a', 'b', 1, null, 'a"\\\n\u0001'] },
    fits: ['a', 'b', 1, null, 'a"\\\n\u0001'],
    misfits: ['c', 2],
  },
  {
    name: 'enum of prefixes',
    schema: { enum: ['a', 'ab', 'abc', '', '😀', '😁'] },
    fits: ['', 'a', 'ab', 'abc', '😀', '😁'],
    misfits: ['abcd', '😂'],
  },
  {
    name: 'const',
    schema: { const: { a: [1, { b: null }], c: 'd' } },
    fits: [{ a: [1, { b: null }], c: 'd' }],
    misfits: [{ a: [1], c: 'd' }],
  },
  { name: 'const false', schema: { const: false }, fits: [false], misfits: [true] },
  {
    name: 'enum and type',
    schema: { type: 'string', enum: ['a', 1, 'bb'], minLength: 2 },
    fits: ['bb'],
    misfits: ['a', 1],
  },
  {
    name: 'enum and pattern',
    schema: { enum: ['ab', 'b', 'ca'], pattern: '^[abc]+a$|b$' },
    fits: ['ab', 'b', 'ca'],
    misfits: [],
  },
  {
    name: 'enum and bounds',
    schema: { enum: [1, 2, 3, 4.5, 'x'], type: 'number', minimum: 2, exclusiveMaximum: 4.5 },
    fits: [2, 3],
    misfits: [1, 4.5],
  },
  {
    name: 'enum and const',
    schema: { allOf: [{ enum: [1, 2, { a: 1, b: 2 }] }, { enum: [{ b: 2, a: 1 }, 2] }] },
    fits: [2, { a: 1, b: 2 }],
    misfits: [1],
  },
  {
    name: 'enum of objects',
    schema: { enum: [{ a: 1 }, { a: 2, b: 1 }], required: ['b'] },
    fits: [{ a: 2, b: 1 }],
    misfits: [{ a: 1 }],
  },
];
