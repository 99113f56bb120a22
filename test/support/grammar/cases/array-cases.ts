// Arrays and their elements.

import type { SchemaCase } from '../schema-case.ts';
import { integer, string } from './common-schemas.ts';

export const arrayCases: SchemaCase[] = [
  { name: 'any array', schema: { type: 'array' }, valid: [[], [1, 'a', [null]]], invalid: [{}] },
  {
    name: 'an array of integers',
    schema: { type: 'array', items: integer },
    valid: [[], [1], [1, 2, 3]],
    invalid: [['a'], [1, 'a']],
  },
  {
    name: 'a bounded array',
    schema: { type: 'array', items: integer, minItems: 2, maxItems: 4 },
    valid: [
      [1, 2],
      [1, 2, 3, 4],
    ],
    invalid: [[1], [1, 2, 3, 4, 5]],
  },
  {
    name: 'at least one',
    schema: { type: 'array', items: string, minItems: 1 },
    valid: [['a'], ['a', 'b']],
    invalid: [[]],
  },
  {
    name: 'at most one',
    schema: { type: 'array', items: string, maxItems: 1, uniqueItems: true },
    valid: [[], ['a']],
    invalid: [['a', 'b']],
  },
  { name: 'none', schema: { type: 'array', items: false }, valid: [[]], invalid: [[1]] },
  {
    name: 'many',
    schema: { type: 'array', items: { type: 'boolean' }, maxItems: 700 },
    valid: [[], Array(700).fill(true)],
    invalid: [Array(701).fill(true)],
  },
  {
    name: 'a tuple',
    schema: { type: 'array', prefixItems: [integer, string], items: false, minItems: 2 },
    valid: [[1, 'a']],
    invalid: [[1], ['a', 1], [1, 'a', 2]],
  },
  {
    name: 'a tuple of any length',
    schema: { type: 'array', prefixItems: [integer, string] },
    valid: [[], [1], [1, 'a']],
    invalid: [['a']],
  },
  {
    name: 'a tuple and more',
    schema: { type: 'array', prefixItems: [integer], items: string, minItems: 1, maxItems: 3 },
    valid: [[1], [1, 'a'], [1, 'a', 'b']],
    invalid: [[], [1, 2], [1, 'a', 'b', 'c']],
  },
  {
    name: 'arrays of arrays',
    schema: { type: 'array', items: { type: 'array', items: integer, maxItems: 2 } },
    valid: [[], [[]], [[1, 2], [3]]],
    invalid: [[[1, 2, 3]]],
  },
  {
    name: 'a tuple of draft 7',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [integer, string],
      additionalItems: false,
      minItems: 2,
    },
    valid: [[1, 'a']],
    invalid: [[1], [1, 'a', 1]],
  },
  {
    name: 'different elements of a few',
    schema: { type: 'array', items: { enum: ['a', 'b', 'c', 1] }, uniqueItems: true, minItems: 2, maxItems: 3 },
    valid: [
      ['a', 'b'],
      ['c', 1],
      ['b', 'a', 'c'],
      [1, 'b', 'a'],
    ],
    invalid: [['a'], ['a', 'a'], ['a', 'b', 'a'], ['a', 'b', 'c', 1], ['d', 'a'], []],
  },
  {
    name: 'different elements that are listed by their type',
    schema: {
      type: 'object',
      properties: {
        flags: { type: 'array', items: { type: ['boolean', 'null'] }, uniqueItems: true },
        days: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 7 }, uniqueItems: true },
        pair: {
          type: 'array',
          items: { type: 'integer', minimum: 0, exclusiveMaximum: 21, maximum: 21, multipleOf: 2 },
          uniqueItems: true,
          maxItems: 2,
        },
        one: { type: 'array', items: { const: { a: 1 } }, uniqueItems: true },
      },
    },
    valid: [
      { flags: [true, null, false], days: [7, 1] },
      { pair: [20, 0], one: [{ a: 1 }] },
    ],
    invalid: [
      { flags: [true, true] },
      { days: [1, 2, 1] },
      { pair: [2, 2] },
      { pair: [1, 2] },
      { pair: [21] },
      { one: [{ a: 1 }, { a: 1 }] },
    ],
  },
  {
    name: 'different elements of a few, with other schemas',
    schema: {
      allOf: [
        { type: 'array', items: { enum: ['a', 'b', 2, 4] }, uniqueItems: true },
        { prefixItems: [{ type: 'string' }], items: { type: ['string', 'integer'], multipleOf: 4 } },
      ],
    },
    valid: [[], ['a'], ['b', 4, 'a'], ['a', 'b', 4]],
    invalid: [[4], ['a', 2], ['a', 'a'], ['a', 4, 4]],
  },
];
