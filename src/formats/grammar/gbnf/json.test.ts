// The grammar of `format: "json"`.

import { expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { seededRandom } from '../../../../test/support/grammar/gbnf-sampler.ts';
import { jsonObjectGrammar } from './json.ts';

const grammar = parseGbnf(jsonObjectGrammar);

test('sampled texts are JSON objects', () => {
  const random = seededRandom(2);
  for (let count = 0; count < 300; count++) {
    const value: unknown = JSON.parse(grammar.sample(random));
    expect(typeof value).toBe('object');
    expect(Array.isArray(value)).toBe(false);
  }
});

test('accepts objects, compact or indented', () => {
  const value = { a: [1, -2.5e10, { b: null }], '': 'ü"\\\n😀', t: true, e: {}, l: [] };
  expect(grammar.matches(JSON.stringify(value))).toBe(true);
  expect(grammar.matches(JSON.stringify(value, null, 4))).toBe(true);
  expect(grammar.matches('{"a": "\\ud83d\\ude00\\u00e9"}')).toBe(true);
});

test('rejects anything else', () => {
  for (const text of ['[]', '1', '"a"', '{"a"}', '{"a":01}', '{"a":1,}', '{"a":"\n"}', '{} ', '{"a":1e999}'])
    expect(grammar.matches(text), text).toBe(false);
});

test('rejects unbounded white space and lone surrogates', () => {
  expect(grammar.matches(`{\n${' '.repeat(20)}}`)).toBe(false);
  expect(grammar.matches('{\n\n\n}')).toBe(false);
  expect(grammar.matches('{"a":"\\ud83d"}')).toBe(false);
});
