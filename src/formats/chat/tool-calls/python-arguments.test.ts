import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePythonArguments } from './python-arguments.ts';

describe('values', () => {
  test.each<[string, unknown]>([
    ['"a"', 'a'],
    ['\'it is "so"\'', 'it is "so"'],
    ["'it\\'s'", "it's"],
    [String.raw`"\n\t\\\x41\u00e9\U0001F600\101\d"`, '\n\t\\Aé😀A\\d'],
    ['"a\\\nb"', 'a\\\nb'],
    ['-1', -1],
    ['.5', 0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['True', true],
    ['false', false],
    ['None', null],
    ['[]', []],
    ["[1, 'a', [True],]", [1, 'a', [true]]],
    ['{}', {}],
    ["{'a': {'b': [None]}, \"c\": 1,}", { a: { b: [null] }, c: 1 }],
  ])('%s', (text, value) => {
    expect(parsePythonArguments(`x=${text}`)).toEqual({ x: value });
    expect(parsePythonArguments(` y = 1 , x = ${text} , `)).toEqual({ y: 1, x: value });
  });
});

test('no arguments', () => {
  expect(parsePythonArguments(' ')).toEqual({});
});

test('names of built-in object members are ordinary keys', () => {
  const args = parsePythonArguments("x={'__proto__': 1}, __proto__=2");
  expect(Object.entries(args ?? {})).toEqual([
    ['x', JSON.parse('{"__proto__": 1}')],
    ['__proto__', 2],
  ]);
});

test.each([
  '"Paris"',
  'x',
  'x=',
  'x=y',
  'x=1 y=2',
  'x=1,,',
  ',',
  'x=[1',
  'x=[1 2]',
  'x={1: 2}',
  "x={'a' 1}",
  'x="a',
  `x="a'`,
  'x="\\',
  'x=1abc',
  'x=f"a"',
  'x=(1, 2)',
  'x=-',
  'x="\\Uffffffff"',
])('invalid arguments: %s', (text) => {
  expect(parsePythonArguments(text)).toBeUndefined();
});

test('JSON is read as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value).replaceAll('\\/', '/');
      expect(parsePythonArguments(`x=${text}`)).toEqual({ x: JSON.parse(text) });
    }),
  );
});
