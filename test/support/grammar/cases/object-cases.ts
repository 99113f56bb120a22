// Objects and their members.

import type { SchemaCase } from '../schema-case.ts';
import { integer, object, string } from './common-schemas.ts';

export const objectCases: SchemaCase[] = [
  {
    name: 'required and optional members',
    schema: object({ a: integer, b: string, c: { type: 'boolean' } }, { required: ['b'] }),
    valid: [{ b: '' }, { a: 1, b: '' }, { b: '', c: true }, { a: 1, b: '', c: false }],
    invalid: [{}, { a: 1 }, { b: 1 }, { b: '', d: 1 }],
  },
  {
    name: 'optional members',
    schema: object({ a: integer, b: integer, c: integer }),
    valid: [{}, { a: 1 }, { b: 1 }, { c: 1 }, { a: 1, c: 1 }, { b: 1, c: 1 }, { a: 1, b: 2, c: 3 }],
    invalid: [{ d: 1 }],
  },
  {
    name: 'forty optional members',
    schema: object(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`member${index}`, integer]))),
    valid: [{}, { member39: 1 }, { member0: 1, member20: 2 }],
    invalid: [{ member40: 1 }],
  },
  { name: 'no members', schema: object({}, { additionalProperties: false }), valid: [{}], invalid: [{ a: 1 }] },
  { name: 'any object', schema: { type: 'object' }, valid: [{}, { a: 1, b: [{}] }], invalid: [[]] },
  {
    name: 'a record',
    schema: { type: 'object', additionalProperties: integer },
    valid: [{}, { a: 1, 'b"': 2 }],
    invalid: [{ a: 'x' }],
  },
  {
    name: 'declared and additional members',
    schema: object({ name: string, no: integer }, { required: ['name'], additionalProperties: { type: 'boolean' } }),
    valid: [{ name: '' }, { name: '', no: 1, x: true, nam: true, named: false, n: true }],
    invalid: [{ name: '', x: 1 }, { x: true }],
  },
  {
    name: 'declared members and additionalProperties true',
    schema: object({ a: integer }, { additionalProperties: true }),
    valid: [{}, { a: 1, b: 'x', aa: [] }, { '': 0 }],
    invalid: [{ a: 'x' }],
  },
  {
    name: 'required but not declared',
    schema: { type: 'object', required: ['a', 'b'], additionalProperties: integer },
    valid: [
      { a: 1, b: 2 },
      { a: 1, b: 2, c: 3 },
    ],
    invalid: [{ a: 1 }, { a: 'x', b: 1 }],
  },
  {
    name: 'names with special characters',
    schema: object(
      {
        'a"b': integer,
        'c\\d': integer,
        'e\nf': integer,
        'ü😀': integer,
        '': integer,
        __proto__x: integer,
        '\u0001': integer,
      },
      { required: ['a"b', 'c\\d', 'e\nf', 'ü😀', '', '\u0001'] },
    ),
    valid: [{ 'a"b': 1, 'c\\d': 1, 'e\nf': 1, 'ü😀': 1, '': 1, '\u0001': 1 }],
    invalid: [{}],
  },
  {
    name: 'counted members',
    schema: object({ a: integer, b: integer, c: integer, d: integer }, { minProperties: 2, maxProperties: 3 }),
    valid: [
      { a: 1, b: 1 },
      { a: 1, d: 1 },
      { c: 1, d: 1 },
      { b: 1, c: 1, d: 1 },
    ],
    invalid: [{}, { a: 1 }, { a: 1, b: 1, c: 1, d: 1 }],
  },
  {
    name: 'counted additional members',
    schema: { type: 'object', additionalProperties: integer, minProperties: 1, maxProperties: 3 },
    valid: [{ a: 1 }, { a: 1, b: 1, c: 1 }],
    invalid: [{}, { a: 1, b: 1, c: 1, d: 1 }],
  },
  {
    name: 'counted declared and additional members',
    schema: object(
      { a: integer, b: integer },
      { required: ['b'], additionalProperties: integer, minProperties: 2, maxProperties: 3 },
    ),
    valid: [
      { a: 1, b: 1 },
      { b: 1, x: 1 },
      { b: 1, x: 1, y: 1 },
      { a: 1, b: 1, x: 1 },
    ],
    invalid: [{ b: 1 }, { a: 1, b: 1, x: 1, y: 1 }],
  },
  {
    name: 'a forbidden member',
    schema: object({ a: integer, b: false, c: { not: {} } }),
    valid: [{}, { a: 1 }],
    invalid: [{ b: 1 }, { c: 1 }],
  },
  {
    name: 'patternProperties',
    schema: { type: 'object', patternProperties: { '^x-[a-z]+$': integer }, additionalProperties: false },
    valid: [{}, { 'x-a': 1, 'x-bc': 2 }],
    invalid: [{ a: 1 }, { 'x-a': 'a' }],
  },
  {
    name: 'properties and patternProperties',
    schema: object({ 'x-a': { minimum: 3 }, b: string }, { patternProperties: { '^x-': integer } }),
    valid: [{ 'x-a': 3, b: '', 'x-b': 1 }],
    invalid: [{ 'x-a': 2 }, { c: 1 }],
  },
  {
    name: 'propertyNames with enum',
    schema: { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: integer },
    valid: [{}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    invalid: [{ c: 1 }],
  },
  {
    name: 'propertyNames with a pattern',
    schema: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
      additionalProperties: integer,
    },
    valid: [{ a: 1, abc: 1 }],
    invalid: [{ A: 1 }, { abcd: 1 }],
  },
  {
    name: 'propertyNames with a type',
    schema: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
    valid: [{ a: 1 }],
    invalid: [],
  },
  {
    name: 'properties without a type',
    schema: { properties: { a: integer }, required: ['a'] },
    valid: [{ a: 1 }],
    invalid: [{}, 'x'],
  },
  {
    name: 'nested objects',
    schema: object(
      { a: object({ b: object({ c: string }, { required: ['c'] }) }, { required: ['b'] }) },
      { required: ['a'] },
    ),
    valid: [{ a: { b: { c: '' } } }],
    invalid: [{ a: { b: {} } }],
  },
  {
    name: 'unevaluatedProperties false',
    schema: { allOf: [object({ a: integer })], properties: { b: integer }, unevaluatedProperties: false },
    valid: [{ b: 1, a: 1 }, {}],
    invalid: [{ c: 1 }],
  },
  {
    name: 'an optional member that allows no value',
    schema: object({ a: integer, b: { type: 'object', enum: ['text'] } }),
    valid: [{}, { a: 1 }],
    invalid: [{ b: 'text' }, { b: {} }],
  },
  {
    name: 'two patterns of names',
    schema: {
      type: 'object',
      properties: { size: integer },
      patternProperties: { '^is[A-Z]': { type: 'boolean' }, Count$: integer },
      additionalProperties: false,
    },
    valid: [{}, { size: 1, isOpen: true }, { itemCount: 3, isOpen: false }],
    invalid: [{ isOpen: 1 }, { itemCount: true }, { other: 1 }, { isACount: 1 }, { isACount: true }],
  },
  {
    name: 'patterns of names in two schemas',
    schema: {
      allOf: [
        { type: 'object', patternProperties: { '^a': integer } },
        { type: 'object', patternProperties: { '^b': string } },
      ],
    },
    valid: [{ a1: 1, b1: '' }, { b: '' }],
    invalid: [{ a1: '' }, { b1: 1 }],
  },
];
