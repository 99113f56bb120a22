// Objects and their members.

import type { SchemaCase } from '../schema-case.ts';
import { object, text, whole } from './pieces.ts';

export const objectCases: SchemaCase[] = [
  {
    name: 'required and optional members',
    schema: object({ a: whole, b: text, c: { type: 'boolean' } }, { required: ['b'] }),
    fits: [{ b: '' }, { a: 1, b: '' }, { b: '', c: true }, { a: 1, b: '', c: false }],
    misfits: [{}, { a: 1 }, { b: 1 }, { b: '', d: 1 }],
  },
  {
    name: 'optional members',
    schema: object({ a: whole, b: whole, c: whole }),
    fits: [{}, { a: 1 }, { b: 1 }, { c: 1 }, { a: 1, c: 1 }, { b: 1, c: 1 }, { a: 1, b: 2, c: 3 }],
    misfits: [{ d: 1 }],
  },
  {
    name: 'forty optional members',
    schema: object(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`member${index}`, whole]))),
    fits: [{}, { member39: 1 }, { member0: 1, member20: 2 }],
    misfits: [{ member40: 1 }],
  },
  { name: 'no members', schema: object({}, { additionalProperties: false }), fits: [{}], misfits: [{ a: 1 }] },
  { name: 'any object', schema: { type: 'object' }, fits: [{}, { a: 1, b: [{}] }], misfits: [[]] },
  {
    name: 'a record',
    schema: { type: 'object', additionalProperties: whole },
    fits: [{}, { a: 1, 'b"': 2 }],
    misfits: [{ a: 'x' }],
  },
  {
    name: 'members and others',
    schema: object({ name: text, no: whole }, { required: ['name'], additionalProperties: { type: 'boolean' } }),
    fits: [{ name: '' }, { name: '', no: 1, x: true, nam: true, named: false, n: true }],
    misfits: [{ name: '', x: 1 }, { x: true }],
  },
  {
    name: 'members and anything',
    schema: object({ a: whole }, { additionalProperties: true }),
    fits: [{}, { a: 1, b: 'x', aa: [] }, { '': 0 }],
    misfits: [{ a: 'x' }],
  },
  {
    name: 'required but not declared',
    schema: { type: 'object', required: ['a', 'b'], additionalProperties: whole },
    fits: [
      { a: 1, b: 2 },
      { a: 1, b: 2, c: 3 },
    ],
    misfits: [{ a: 1 }, { a: 'x', b: 1 }],
  },
  {
    name: 'awkward names',
    schema: object(
      { 'a"b': whole, 'c\\d': whole, 'e\nf': whole, 'ü😀': whole, '': whole, __proto__x: whole, '\u0001': whole },
      { required: ['a"b', 'c\\d', 'e\nf', 'ü😀', '', '\u0001'] },
    ),
    fits: [{ 'a"b': 1, 'c\\d': 1, 'e\nf': 1, 'ü😀': 1, '': 1, '\u0001': 1 }],
    misfits: [{}],
  },
  {
    name: 'counted members',
    schema: object({ a: whole, b: whole, c: whole, d: whole }, { minProperties: 2, maxProperties: 3 }),
    fits: [
      { a: 1, b: 1 },
      { a: 1, d: 1 },
      { c: 1, d: 1 },
      { b: 1, c: 1, d: 1 },
    ],
    misfits: [{}, { a: 1 }, { a: 1, b: 1, c: 1, d: 1 }],
  },
  {
    name: 'counted others',
    schema: { type: 'object', additionalProperties: whole, minProperties: 1, maxProperties: 3 },
    fits: [{ a: 1 }, { a: 1, b: 1, c: 1 }],
    misfits: [{}, { a: 1, b: 1, c: 1, d: 1 }],
  },
  {
    name: 'counted members and others',
    schema: object(
      { a: whole, b: whole },
      { required: ['b'], additionalProperties: whole, minProperties: 2, maxProperties: 3 },
    ),
    fits: [
      { a: 1, b: 1 },
      { b: 1, x: 1 },
      { b: 1, x: 1, y: 1 },
      { a: 1, b: 1, x: 1 },
    ],
    misfits: [{ b: 1 }, { a: 1, b: 1, x: 1, y: 1 }],
  },
  {
    name: 'a forbidden member',
    schema: object({ a: whole, b: false, c: { not: {} } }),
    fits: [{}, { a: 1 }],
    misfits: [{ b: 1 }, { c: 1 }],
  },
  {
    name: 'names of a pattern',
    schema: { type: 'object', patternProperties: { '^x-[a-z]+$': whole }, additionalProperties: false },
    fits: [{}, { 'x-a': 1, 'x-bc': 2 }],
    misfits: [{ a: 1 }, { 'x-a': 'a' }],
  },
  {
    name: 'members and names of a pattern',
    schema: object({ 'x-a': { minimum: 3 }, b: text }, { patternProperties: { '^x-': whole } }),
    fits: [{ 'x-a': 3, b: '', 'x-b': 1 }],
    misfits: [{ 'x-a': 2 }, { c: 1 }],
  },
  {
    name: 'names of a list',
    schema: { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: whole },
    fits: [{}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    misfits: [{ c: 1 }],
  },
  {
    name: 'names of a form',
    schema: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
      additionalProperties: whole,
    },
    fits: [{ a: 1, abc: 1 }],
    misfits: [{ A: 1 }, { abcd: 1 }],
  },
  {
    name: 'names that are strings',
    schema: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
    fits: [{ a: 1 }],
    misfits: [],
  },
  {
    name: 'properties without a type',
    schema: { properties: { a: whole }, required: ['a'] },
    fits: [{ a: 1 }],
    misfits: [{}, 'x'],
  },
  {
    name: 'nested objects',
    schema: object(
      { a: object({ b: object({ c: text }, { required: ['c'] }) }, { required: ['b'] }) },
      { required: ['a'] },
    ),
    fits: [{ a: { b: { c: '' } } }],
    misfits: [{ a: { b: {} } }],
  },
  {
    name: 'nothing unevaluated',
    schema: { allOf: [object({ a: whole })], properties: { b: whole }, unevaluatedProperties: false },
    fits: [{ b: 1, a: 1 }, {}],
    misfits: [{ c: 1 }],
  },
];
