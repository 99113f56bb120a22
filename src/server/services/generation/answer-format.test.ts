import { describe, expect, test } from 'vitest';
import { jsonObjectGrammar } from '../../../formats/grammar/json.ts';
import { createFormatToGrammar, parseAnswerFormat } from './answer-format.ts';

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

describe('the grammar', () => {
  const formatToGrammar = createFormatToGrammar();

  test('of no format, JSON, a schema and a grammar', () => {
    expect(formatToGrammar(undefined)).toBeUndefined();
    expect(formatToGrammar({ type: 'json' })).toBe(jsonObjectGrammar);
    expect(formatToGrammar({ type: 'schema', schema: { const: 'blue' } })).toContain('blue');
    expect(formatToGrammar({ type: 'gbnf', grammar: 'root ::= "green"' })).toContain('green');
  });

  test('a schema and a grammar of the same text are different', () => {
    const schema = { const: 'root ::= "a"' };
    expect(formatToGrammar({ type: 'schema', schema })).not.toBe(
      formatToGrammar({ type: 'gbnf', grammar: 'root ::= "a"' }),
    );
  });

  test.each([1, 100_000])('a refused schema is refused again without work, with a text of length %i', (length) => {
    let reads = 0;
    const schema = {
      get pattern() {
        reads++;
        return '(';
      },
    };
    // The key of the cache is the JSON text, which does not read the pattern.
    Object.defineProperty(schema, 'toJSON', { value: () => 'x'.repeat(length) });
    const refuse = () => formatToGrammar({ type: 'schema', schema });
    expect(refuse).toThrow('format: ');
    const before = reads;
    expect(before).toBeGreaterThan(0);
    expect(refuse).toThrow('format: ');
    expect(reads).toBe(before);
  });
});
