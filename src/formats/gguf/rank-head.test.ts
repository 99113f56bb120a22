import { expect, test } from 'vitest';
import type { GgufValue } from './metadata.ts';
import { findRankHead } from './rank-head.ts';
import type { GgufTensor } from './read-gguf.ts';

const tensor = (name: string, ...shape: readonly number[]): GgufTensor => ({ name, shape }) as GgufTensor;
const output = tensor('cls.output.weight', 32, 2);

function find(architecture: string, entries: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]) {
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', architecture],
    [`${architecture}.pooling_type`, 4],
    ...Object.entries(entries),
  ]);
  return findRankHead({ metadata, tensors });
}

test('a classifier gives logits, and a decoder probabilities', () => {
  expect(find('bert', {}, [output])).toEqual({ ofDecoder: false });
  expect(find('qwen3', {}, [output])).toEqual({ ofDecoder: true });
});

test('the template is that of the file', () => {
  const entries = { 'tokenizer.chat_template.rerank': '{query} {document}' };
  expect(find('qwen3', entries, [output])).toEqual({ ofDecoder: true, template: '{query} {document}' });
});

test.each([
  ['no head', [], false],
  ['only the layer before the output', [tensor('cls.weight', 32, 32)], false],
  ['a layer with one output', [tensor('cls.weight', 32, 1)], true],
  ['a layer with one output, without its second dimension', [tensor('cls.weight', 32)], true],
])('%s', (_, tensors, found) => {
  expect(find('bert', {}, tensors) !== undefined).toBe(found);
});

test('a model with another pooling type is not a reranker', () => {
  expect(find('bert', { 'bert.pooling_type': 1 }, [output])).toBeUndefined();
});
