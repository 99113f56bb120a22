import { describe, expect, test } from 'vitest';
import { parseAnswerFormat } from './answer-format.ts';

describe('a format', () => {
  test.each([undefined, null, ''])('%j: no constraint', (value) => {
    expect(parseAnswerFormat(value)).toBeUndefined();
  });

  test.each([
    ['json', { type: 'json' }],
    [{ type: 'object' }, { type: 'schema', schema: { type: 'object' } }],
    [{ grammar: 'a property' }, { type: 'schema', schema: { grammar: 'a property' } }],
    [
      { type: 'gbnf', grammar: 'root ::= "a"' },
      { type: 'gbnf', grammar: 'root ::= "a"' },
    ],
  ])('%j', (value, format) => {
    expect(parseAnswerFormat(value)).toEqual(format);
  });

  test.each([
    ['yaml', 'invalid format: "yaml"; expected "json" or a valid JSON Schema object'],
    [[], 'invalid format: []'],
    [3, 'invalid format: 3'],
    [{ type: 'gbnf' }, 'format: the field "grammar" must be a string'],
    ['x'.repeat(1000), `invalid format: "${'x'.repeat(99)};`],
  ])('%j: %s', (value, message) => {
    expect(() => parseAnswerFormat(value)).toThrow(message);
  });
});
