// Numbers between bounds.

import type { SchemaCase } from '../schema-case.ts';

export const numberCases: SchemaCase[] = [
  {
    name: 'integers from 0 to 9',
    schema: { type: 'integer', minimum: 0, maximum: 9 },
    fits: [0, 5, 9],
    misfits: [-1, 10],
  },
  {
    name: 'integers across zero',
    schema: { type: 'integer', minimum: -12, maximum: 345 },
    fits: [-12, -10, -9, -1, 0, 99, 100, 345],
    misfits: [-13, 346, 1000],
  },
  {
    name: 'negative integers',
    schema: { type: 'integer', exclusiveMinimum: -1000, exclusiveMaximum: -99 },
    fits: [-999, -500, -100],
    misfits: [-1000, -99, 100],
  },
  {
    name: 'integers above',
    schema: { type: 'integer', minimum: 18 },
    fits: [18, 19, 20, 100, 9007199254740991],
    misfits: [17, 9, -18],
  },
  {
    name: 'integers below',
    schema: { type: 'integer', maximum: -5 },
    fits: [-5, -6, -9007199254740991],
    misfits: [-4, 0, 5],
  },
  {
    name: 'integers between fractions',
    schema: { type: 'integer', minimum: 1.5, maximum: 3.5 },
    fits: [2, 3],
    misfits: [1, 4],
  },
  {
    name: 'integers of 64 bits',
    schema: { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 - 1 },
    fits: [0, 123456789],
    misfits: [],
  },
  { name: 'one integer', schema: { type: 'integer', minimum: 7, maximum: 7 }, fits: [7], misfits: [6, 8] },
  {
    name: 'numbers from 0 to 1',
    schema: { type: 'number', minimum: 0, maximum: 1 },
    fits: [0, 1, 0.5, 0.001, 0.999],
    misfits: [-0.1, 1.001, 2],
  },
  {
    name: 'numbers strictly between',
    schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    fits: [0.5, 0.00001, 0.99999],
    misfits: [0, 1],
  },
  {
    name: 'numbers of odd bounds',
    schema: { type: 'number', minimum: -1.234, exclusiveMaximum: 12.05 },
    fits: [-1.234, -1, 0, 12, 12.04, 12.0499],
    misfits: [-1.235, 12.05, 12.1],
  },
  {
    name: 'numbers within one whole',
    schema: { type: 'number', minimum: 3.14, maximum: 3.15 },
    fits: [3.14, 3.145, 3.15],
    misfits: [3.139, 3.151, 3, 4],
  },
  {
    name: 'numbers above',
    schema: { type: 'number', exclusiveMinimum: 99.5 },
    fits: [99.51, 100, 12345.678],
    misfits: [99.5, 99, 0],
  },
  {
    name: 'negative numbers',
    schema: { type: 'number', maximum: -0.25, minimum: -2 },
    fits: [-0.25, -2, -1.999],
    misfits: [-0.2, 0, -2.1],
  },
  {
    name: 'numbers of tiny bounds',
    schema: { type: 'number', minimum: 1e-7, maximum: 2e-3 },
    fits: [0.000001, 0.002, 0.001],
    misfits: [0, 0.0021],
  },
  {
    name: 'numbers of huge bounds',
    schema: { type: 'number', minimum: 0, maximum: 1e300 },
    fits: [0, 0.5, 1e14],
    misfits: [-1],
  },
  {
    name: 'bounds of draft 4',
    schema: { type: 'integer', minimum: 3, exclusiveMinimum: true, maximum: 5 },
    judged: { type: 'integer', exclusiveMinimum: 3, maximum: 5 },
    fits: [4, 5],
    misfits: [3],
  },
  {
    name: 'numbers of 32 bits',
    schema: { type: 'number', format: 'int32', minimum: 0 },
    fits: [0, 2147483647],
    misfits: [-1, 1.5, 2147483648],
  },
];
