// Numbers between bounds.

import type { SchemaCase } from '../schema-case.ts';

export const numberCases: SchemaCase[] = [
  {
    name: 'integers from 0 to 9',
    schema: { type: 'integer', minimum: 0, maximum: 9 },
    valid: [0, 5, 9],
    invalid: [-1, 10],
  },
  {
    name: 'integers across zero',
    schema: { type: 'integer', minimum: -12, maximum: 345 },
    valid: [-12, -10, -9, -1, 0, 99, 100, 345],
    invalid: [-13, 346, 1000],
  },
  {
    name: 'negative integers',
    schema: { type: 'integer', exclusiveMinimum: -1000, exclusiveMaximum: -99 },
    valid: [-999, -500, -100],
    invalid: [-1000, -99, 100],
  },
  {
    name: 'integers above a minimum',
    schema: { type: 'integer', minimum: 18 },
    valid: [18, 19, 20, 100, 9007199254740991],
    invalid: [17, 9, -18],
  },
  {
    name: 'integers below a maximum',
    schema: { type: 'integer', maximum: -5 },
    valid: [-5, -6, -9007199254740991],
    invalid: [-4, 0, 5],
  },
  {
    name: 'integers between fractions',
    schema: { type: 'integer', minimum: 1.5, maximum: 3.5 },
    valid: [2, 3],
    invalid: [1, 4],
  },
  {
    name: '64-bit integers',
    schema: { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 - 1 },
    valid: [0, 123456789],
    invalid: [],
  },
  { name: 'one integer', schema: { type: 'integer', minimum: 7, maximum: 7 }, valid: [7], invalid: [6, 8] },
  {
    name: 'numbers from 0 to 1',
    schema: { type: 'number', minimum: 0, maximum: 1 },
    valid: [0, 1, 0.5, 0.001, 0.999],
    invalid: [-0.1, 1.001, 2],
  },
  {
    name: 'numbers strictly between',
    schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    valid: [0.5, 0.00001, 0.99999],
    invalid: [0, 1],
  },
  {
    name: 'numbers with fractional bounds',
    schema: { type: 'number', minimum: -1.234, exclusiveMaximum: 12.05 },
    valid: [-1.234, -1, 0, 12, 12.04, 12.0499],
    invalid: [-1.235, 12.05, 12.1],
  },
  {
    name: 'numbers between two integers',
    schema: { type: 'number', minimum: 3.14, maximum: 3.15 },
    valid: [3.14, 3.145, 3.15],
    invalid: [3.139, 3.151, 3, 4],
  },
  {
    name: 'numbers above a minimum',
    schema: { type: 'number', exclusiveMinimum: 99.5 },
    valid: [99.51, 100, 12345.678],
    invalid: [99.5, 99, 0],
  },
  {
    name: 'negative numbers',
    schema: { type: 'number', maximum: -0.25, minimum: -2 },
    valid: [-0.25, -2, -1.999],
    invalid: [-0.2, 0, -2.1],
  },
  {
    name: 'numbers with tiny bounds',
    schema: { type: 'number', minimum: 1e-7, maximum: 2e-3 },
    valid: [0.000001, 0.002, 0.001],
    invalid: [0, 0.0021],
  },
  {
    name: 'numbers with huge bounds',
    schema: { type: 'number', minimum: 0, maximum: 1e300 },
    valid: [0, 0.5, 1e14],
    invalid: [-1],
  },
  {
    name: 'bounds of draft 4',
    schema: { type: 'integer', minimum: 3, exclusiveMinimum: true, maximum: 5 },
    ajvSchema: { type: 'integer', exclusiveMinimum: 3, maximum: 5 },
    valid: [4, 5],
    invalid: [3],
  },
  {
    name: 'format int32',
    schema: { type: 'number', format: 'int32', minimum: 0 },
    valid: [0, 2147483647],
    invalid: [-1, 1.5, 2147483648],
  },
  {
    name: 'multiples',
    schema: { type: 'integer', multipleOf: 7 },
    valid: [0, 7, -7, 14, 700, 999_999_999_999_994],
    invalid: [1, 6, 8, -1, 70_001],
  },
  {
    name: 'multiples between bounds',
    schema: { type: 'number', multipleOf: 15, minimum: -31, exclusiveMaximum: 1005 },
    valid: [-30, -15, 0, 15, 90, 105, 990],
    invalid: [-45, -31, 1, 20, 995, 1005, 1020, 15.5],
  },
  {
    name: 'multiples with trailing zeros',
    schema: { type: 'integer', multipleOf: 2500, minimum: 1 },
    valid: [2500, 5000, 10_000, 1_002_500],
    invalid: [0, -2500, 250, 100, 12_600, 1000],
  },
  {
    name: 'multiples of two numbers',
    schema: {
      allOf: [
        { type: 'integer', multipleOf: 4 },
        { multipleOf: 6, minimum: 100 },
      ],
    },
    valid: [108, 120, 1200],
    invalid: [12, 102, 104, 100],
  },
  {
    name: 'values of an enum that are multiples',
    schema: { enum: [3, 7, 14, 'a', 21.5], multipleOf: 7 },
    valid: [7, 14, 'a'],
    invalid: [3, 21.5, 21],
  },
];
