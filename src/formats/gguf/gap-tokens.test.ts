import { expect, test } from 'vitest';
import { findGapTokens } from './gap-tokens.ts';
import type { GgufValue } from './metadata.ts';

const find = (texts: readonly string[], numbers: Readonly<Record<string, GgufValue>> = {}) =>
  findGapTokens(
    new Map<string, GgufValue>([
      ['tokenizer.ggml.tokens', texts],
      ...Object.entries(numbers).map(([key, value]) => [`tokenizer.ggml.${key}`, value] as const),
    ]),
  );

test('tokens are found by their texts', () => {
  expect(find(['a', '<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>', '<|repo_name|>'])).toEqual({
    before: 1,
    after: 2,
    gap: 3,
    file: 4,
    project: 5,
  });
});

test('numbers in the file come first, if they are tokens', () => {
  const texts = ['a', 'b', 'c', '<PRE>', '<SUF>', '<MID>'];
  expect(find(texts, { fim_pre_token_id: 0, suffix_token_id: 1, fim_mid_token_id: 99 })).toMatchObject({
    before: 0,
    after: 1,
    gap: 5,
    file: undefined,
  });
});

test.each([[['a', '<PRE>', '<SUF>']], [[]]])('a vocabulary without one of them cannot fill gaps: %j', (texts) => {
  expect(find(texts)).toBeUndefined();
});
