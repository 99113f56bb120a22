import { expect, it } from 'vitest';
import { parseTask } from './task-file.ts';

const parse = (...lines: (object | string)[]) =>
  parseTask(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'), 'my.jsonl');

it('reads choices and checks, and skips empty lines', () => {
  const tool = { type: 'function', function: { name: 'f' } };
  expect(
    parse({ prompt: 'a', choices: ['x', 'y'], answer: 1 }, '', {
      prompt: 'b',
      category: 'c',
      check: { call: null },
      tools: [tool],
      max_tokens: 5,
    }),
  ).toEqual([
    { prompt: 'a', category: 'task', choices: ['x', 'y'], answer: 1 },
    { prompt: 'b', category: 'c', check: { call: null }, tools: [tool], maxTokens: 5 },
  ]);
});

const good = { prompt: 'a', check: { exact: 'b' } };
it.each<readonly [object | string, RegExp]>([
  ['{', /my\.jsonl:2: /],
  ['[]', /my\.jsonl:2: a line must be an object/],
  [{ check: { exact: 'b' } }, /my\.jsonl:2: prompt must be a text/],
  [{ prompt: 'x'.repeat(2 ** 18 + 1), check: { exact: 'b' } }, /my\.jsonl:2: prompt has more than 262144 characters/],
  [{ prompt: 'a' }, /my\.jsonl:2: expected either choices or check/],
  [{ ...good, choices: ['a', 'b'] }, /my\.jsonl:2: expected either choices or check/],
  [{ prompt: 'a', choices: ['a'], answer: 0 }, /choices must be an array of 2 to 64 texts/],
  [{ prompt: 'a', choices: ['a', 'b'], answer: 2 }, /answer must be the index/],
  [{ prompt: 'a', choices: ['a', 'b'], answer: '__proto__' }, /answer must be the index/],
  [{ ...good, colour: 1 }, /unknown field "colour"/],
  [{ prompt: 'a', check: {} }, /check must have one of the fields exact, number, pattern, schema, call/],
  [{ prompt: 'a', check: { exact: 'b', number: 1 } }, /check must have one of the fields/],
  ['{"prompt":"a","check":{"__proto__":{}}}', /unknown field "__proto__"/],
  [{ prompt: 'a', check: { exact: [] } }, /exact must be a text/],
  [{ prompt: 'a', check: { number: '1' } }, /number must be a number/],
  [{ prompt: 'a', check: { pattern: '(' } }, /the pattern "\(" is not valid/],
  [{ prompt: 'a', check: { schema: { type: 'nothing' } } }, /schema is not valid/],
  [{ prompt: 'a', check: { call: { name: 'f', arguments: [] } } }, /call\.arguments must be an object/],
  [{ ...good, tools: [{ function: {} }] }, /name of a tool must be a text/],
  [{ ...good, max_tokens: 0 }, /max_tokens must be an integer from 1 to 4096/],
])('names the line of an error: %#', (line, message) => {
  expect(() => parse(good, line)).toThrow(message);
});

it('refuses a file without items, or with too many', () => {
  expect(() => parse('', ' ')).toThrow('my.jsonl: no items');
  expect(() => parse(...Array<object>(10_001).fill(good))).toThrow('my.jsonl: more than 10000 items');
});
