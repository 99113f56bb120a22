import { expect, test } from 'vitest';
import { parseOverrides } from './tensor-overrides.ts';

test('patterns with devices are read', () => {
  expect(parseOverrides(String.raw`\.ffn_.*_exps\.=CPU,blk\.[0-9]\.ffn_(up|down)_exps=CUDA0`)).toEqual([
    { pattern: String.raw`\.ffn_.*_exps\.`, device: 'CPU' },
    { pattern: String.raw`blk\.[0-9]\.ffn_(up|down)_exps`, device: 'CUDA0' },
  ]);
});

test.each([
  ['', 'nothing'],
  ['exps', 'no device'],
  ['=CPU', 'no pattern'],
  ['exps=', 'an empty device'],
  ['exps=CPU 0', 'a device with a space'],
  ['(a|b)*=CPU', 'a quantifier after a group'],
  ['((a))=CPU', 'groups in groups'],
  ['a**=CPU', 'two quantifiers'],
  ['*a=CPU', 'a quantifier first'],
  ['(a=CPU', 'a group without an end'],
  ['[a=CPU', 'a class without an end'],
  ['a\\=CPU', 'a backslash at the end'],
  ['a{1000}=CPU', 'a number of repetitions'],
  [`${'a=CPU,'.repeat(40)}a=CPU`, 'too many'],
])('%j is refused: %s', (text) => {
  expect(parseOverrides(text)).toBeUndefined();
});
