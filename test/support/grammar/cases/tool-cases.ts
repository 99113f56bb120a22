// Schemas as tools write them.

import type { SchemaCase } from '../schema-case.ts';

export const toolCases: SchemaCase[] = [
  {
    name: 'from pydantic',
    schema: {
      $defs: {
        Address: {
          title: 'Address',
          type: 'object',
          properties: {
            street: { title: 'Street', type: 'string' },
            zip: { anyOf: [{ type: 'string', pattern: '^\\d{5}$' }, { type: 'null' }], default: null, title: 'Zip' },
          },
          required: ['street'],
        },
        Colour: { enum: ['red', 'green'], title: 'Colour', type: 'string' },
      },
      properties: {
        name: { title: 'Name', type: 'string', maxLength: 50, minLength: 1 },
        age: { exclusiveMinimum: 0, maximum: 150, title: 'Age', type: 'integer' },
        address: { $ref: '#/$defs/Address', description: 'where' },
        colours: { items: { $ref: '#/$defs/Colour' }, title: 'Colours', type: 'array', maxItems: 3 },
        scores: { additionalProperties: { type: 'number' }, title: 'Scores', type: 'object' },
      },
      required: ['name', 'age', 'address', 'colours'],
      title: 'Person',
      type: 'object',
    },
    fits: [
      { name: 'A', age: 1, address: { street: 'x' }, colours: ['red'] },
      { name: 'A', age: 150, address: { street: 'x', zip: '12345' }, colours: [], scores: { a: 1.5 } },
    ],
    misfits: [{ name: '', age: 1, address: { street: 'x' }, colours: [] }],
  },
  {
    name: 'from zod-to-json-schema',
    schema: {
      $ref: '#/definitions/Answer',
      definitions: {
        Answer: {
          type: 'object',
          properties: {
            title: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            author: {
              type: 'object',
              properties: { email: { type: 'string', format: 'email' } },
              required: ['email'],
              additionalProperties: false,
            },
            editor: { $ref: '#/definitions/Answer/properties/author' },
            rating: { type: ['number', 'null'], minimum: 0, maximum: 5 },
          },
          required: ['title', 'author'],
          additionalProperties: false,
        },
      },
      $schema: 'http://json-schema.org/draft-07/schema#',
    },
    fits: [
      { title: '', author: { email: 'a@b.de' } },
      { title: '', tags: [], author: { email: 'a@b.de' }, editor: { email: 'c@d.de' }, rating: null },
    ],
    misfits: [{ title: '' }, { title: '', author: { email: 'a@b.de' }, rating: 6 }],
  },
];
