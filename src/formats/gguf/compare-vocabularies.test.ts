import { expect, test } from 'vitest';
import { compareVocabularies } from './compare-vocabularies.ts';
import type { GgufValue } from './metadata.ts';

const tokens = Array.from({ length: 300 }, (_, index) => `t${index}`);

function model(entries: Readonly<Record<string, GgufValue>> = {}) {
  const all: Record<string, GgufValue> = { model: 'gpt2', tokens, bos_token_id: 1, eos_token_id: 2, ...entries };
  return { metadata: new Map(Object.entries(all).map(([key, value]) => [`tokenizer.ggml.${key}`, value])) };
}

const withToken = (token: number): string[] => tokens.map((text, index) => (index === token ? 'other' : text));

test.each([
  ['the same tokens', {}],
  ['a little more padding', { tokens: [...tokens, ...Array.from({ length: 128 }, (_, index) => `pad${index}`)] }],
  ['another placeholder at the start', { tokens: withToken(4) }],
])('%s fit', (_, entries) => {
  expect(compareVocabularies(model(), model(entries))).toBeUndefined();
  expect(compareVocabularies(model(entries), model())).toBeUndefined();
});

test.each([
  ['another tokenizer', { model: 'llama' }, 'its tokenizer is "llama" instead of "gpt2"'],
  ['another first token', { bos_token_id: 7 }, 'the first token of a text is 7 instead of 1'],
  ['another last token', { eos_token_id: 7 }, 'the last token of a text is 7 instead of 2'],
  ['another size', { tokens: tokens.slice(0, 171) }, 'it has 171 tokens instead of 300'],
  ['another token', { tokens: withToken(5) }, 'token 5 is "other" instead of "t5"'],
  ['no tokens', { tokens: [] }, 'a vocabulary is missing'],
])('%s does not fit', (_, entries, reason) => {
  expect(compareVocabularies(model(), model(entries))).toBe(reason);
});

test('a reason has a limited length', () => {
  const long = tokens.map((text, index) => (index === 9 ? `\u0007${'x'.repeat(10_000)}` : text));
  expect(compareVocabularies(model(), model({ tokens: long }))?.length).toBeLessThan(100);
});
