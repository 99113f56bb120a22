import { expect, it } from 'vitest';
import { passesCheck } from './check-answer.ts';
import type { ItemCheck } from './item.ts';

const passes = (check: ItemCheck, text: string): boolean => passesCheck(check, { text, calls: [] });

it('compares exact texts without their case, white space around them and a final period', () => {
  expect(passes({ exact: 'The end.' }, ' the end\n')).toBe(true);
  expect(passes({ exact: ['a', 'b'] }, 'B.')).toBe(true);
  expect(passes({ exact: 'a' }, 'a b')).toBe(false);
});

it('compares the last number of an answer', () => {
  expect(passes({ number: 1024 }, '2 to the power of 10 is 1,024.')).toBe(true);
  expect(passes({ number: -3.5 }, 'It is -3.5')).toBe(true);
  expect(passes({ number: 7 }, '7, because 3 + 4 is not 8')).toBe(false);
  expect(passes({ number: 0 }, 'none')).toBe(false);
});

it('matches patterns against the trimmed answer, and ends those that take too long', () => {
  expect(passes({ pattern: '^\\p{Lu}+$' }, ' CAT\n')).toBe(true);
  expect(passes({ pattern: '^cat$' }, 'CAT')).toBe(false);
  expect(passes({ pattern: '^cat$', ignoreCase: true }, 'CAT')).toBe(true);
  expect(() => passes({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}b`)).toThrow(/takes more than/);
});

it('accepts JSON alone or in a code block, if the schema does', () => {
  const schema = { type: 'object', properties: { n: { const: 1 } }, required: ['n'] };
  expect(passes({ schema }, '{"n": 1}')).toBe(true);
  expect(passes({ schema }, '```json\n{"n": 1}\n```')).toBe(true);
  expect(passes({ schema }, 'Here it is: {"n": 1}')).toBe(false);
  expect(passes({ schema }, '{"n": 2}')).toBe(false);
  expect(passes({ schema: {} }, 'no JSON')).toBe(false);
  const slow = { type: 'string', pattern: '^(a+)+$' };
  expect(() => passes({ schema: slow }, JSON.stringify(`${'a'.repeat(60)}b`))).toThrow(/takes more than/);
});

it('compares the name and all arguments of a single tool call', () => {
  const call = { name: 'add', arguments: { a: 1, unit: 'Meter' } };
  const given = (name: string, args: Record<string, unknown>, count = 1) => ({
    text: '',
    calls: Array.from({ length: count }, (_, index) => ({ function: { index, name, arguments: args } })),
  });
  expect(passesCheck({ call }, given('add', { unit: 'meter', a: 1 }))).toBe(true);
  expect(passesCheck({ call }, given('sub', { unit: 'meter', a: 1 }))).toBe(false);
  expect(passesCheck({ call }, given('add', { unit: 'meter', a: '1' }))).toBe(false);
  expect(passesCheck({ call }, given('add', { unit: 'meter', a: 1, b: 2 }))).toBe(false);
  expect(passesCheck({ call }, given('add', { unit: 'meter', a: 1 }, 2))).toBe(false);
  expect(passesCheck({ call: null }, given('add', {}))).toBe(false);
  expect(passes({ call: null }, 'no call')).toBe(true);
});
