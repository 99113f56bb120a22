import { expect, test } from 'vitest';
import { hasOpenQuotes, withoutQuotes } from './multi-line.ts';

test.each([
  ['"""', true],
  ['"""a', true],
  ['"""a\nb', true],
  ['"""a"""', false],
  ['"""a\nb"""  ', false],
  ['""""""', false],
  ['say """', false],
  ['/set system """You', true],
  ['/set system """You"""', false],
  ['/set system You', false],
])('%j is unfinished: %j', (text, unfinished) => {
  expect(hasOpenQuotes(text)).toBe(unfinished);
});

test.each([
  ['plain ', 'plain '],
  ['"""one\ntwo"""', 'one\ntwo'],
  ['"""\none\ntwo\n"""', 'one\ntwo'],
  ['"""open', 'open'],
])('%j without quotes is %j', (text, content) => {
  expect(withoutQuotes(text)).toBe(content);
});
