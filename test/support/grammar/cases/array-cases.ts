// Arrays and their elements.

import type { SchemaCase } from '../schema-case.ts';
import { text, whole } from './pieces.ts';

export const arrayCases: SchemaCase[] = [
  { name: 'any array', schema: { type: 'array' }, fits: [[], [1, 'a', [null]]], misfits: [{}] },
  {
    name: 'an array of integers',
    schema: { type: 'array', items: whole },
    fits: [[], [1], [1, 2, 3]],
    misfits: [['a'], [1, 'a']],
  },
  {
    name: 'a bounded array',
    schema: { type: 'array', items: whole, minItems: 2, maxItems: 4 },
    fits: [
      [1, 2],
      [1, 2, 3, 4],
    ],
    misfits: [[1], [1, 2, 3, 4, 5]],
  },
  {
    name: 'at least one',
    schema: { type: 'array', items: text, minItems: 1 },
    fits: [['a'], ['a', 'b']],
    misfits: [[]],
  },
  {
    name: 'at most one',
    schema: { type: 'array', items: text, maxItems: 1, uniqueItems: true },
    fits: [[], ['a']],
    misfits: [['a', 'b']],
  },
  { name: 'none', schema: { type: 'array', items: false }, fits: [[]], misfits: [[1]] },
  {
    name: 'many',
    schema: { type: 'array', items: { type: 'boolean' }, maxItems: 700 },
    fits: [[], Array(700).fill(true)],
    misfits: [Array(701).fill(true)],
  },
  {
    name: 'a tuple',
    schema: { type: 'array', prefixItems: [whole, text], items: false, minItems: 2 },
    fits: [[1, 'a']],
    misfits: [[1], ['a', 1], [1, 'a', 2]],
  },
  {
    name: 'a tuple of any length',
    schema: { type: 'array', prefixItems: [whole, text] },
    fits: [[], [1], [1, 'a']],
    misfits: [['a']],
  },
  {
    name: 'a tuple and more',
    schema: { type: 'array', prefixItems: [whole], items: text, minItems: 1, maxItems: 3 },
    fits: [[1], [1, 'a'], [1, 'a', 'b']],
    misfits: [[], [1, 2], [1, 'a', 'b', 'c']],
  },
  {
    name: 'arrays of arrays',
    schema: { type: 'array', items: { type: 'array', items: whole, maxItems: 2 } },
    fits: [[], [[]], [[1, 2], [3]]],
    misfits: [[[1, 2, 3]]],
  },
  {
    name: 'a tuple of draft 7',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [whole, text],
      additionalItems: false,
      minItems: 2,
    },
    fits: [[1, 'a']],
    misfits: [[1], [1, 'a', 1]],
  },
];
