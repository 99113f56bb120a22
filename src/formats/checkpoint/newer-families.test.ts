// What newer families need beyond tensors: hints, modules, and settings that llama.cpp does not compute.

import { describe, expect, test } from 'vitest';
import { checkpoints } from '../../../test/support/checkpoints/checkpoints.ts';
import { collectStream, toCheckpointFiles } from '../../../test/support/checkpoints/memory-files.ts';
import type { Files } from '../../../test/support/checkpoints/tokenizers.ts';
import { readGguf } from '../gguf/read-gguf.ts';
import { convertCheckpoint } from './convert-checkpoint.ts';

const filesOf = (name: string): Files => checkpoints[name]?.() as Files;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function withJson(files: Files, name: string, change: Readonly<Record<string, unknown>>): Files {
  return { ...files, [name]: json({ ...JSON.parse(String(files[name])), ...change }) };
}

async function convert(files: Files, name = 'test') {
  const bytes = await collectStream(await convertCheckpoint(toCheckpointFiles(files), { name }));
  return readGguf({ size: bytes.length, readHead: async (length) => bytes.subarray(0, length) });
}

describe('Qwen 3 is a reranker', () => {
  const reranker = filesOf('qwen3-reranker');
  const poolingOf = async (files: Files, name?: string) =>
    (await convert(files, name)).metadata.get('qwen3.pooling_type');

  test('by the name of the new model, the model card, or the published name', async () => {
    expect(await poolingOf(reranker)).toBeUndefined();
    expect(await poolingOf(reranker, 'my-Qwen3-Reranker-0.6b')).toBe(4);
    expect(await poolingOf({ ...reranker, 'README.md': Buffer.from('---\n---\n\n# Qwen3-Reranker-0.6B\n') })).toBe(4);
    expect(await poolingOf({ ...reranker, 'README.md': Buffer.from('like qwen3-reranker') })).toBeUndefined();
    expect(await poolingOf(withJson(reranker, 'config.json', { _name_or_path: 'a/Qwen3-Reranker-4B' }))).toBe(4);
  });

  test('with the answers as its outputs, and a prompt', async () => {
    const { metadata, tensors } = await convert(reranker, 'qwen3-reranker');
    expect(tensors[0]).toMatchObject({ name: 'cls.output.weight', shape: [64, 2] });
    expect(metadata.get('qwen3.classifier.output_labels')).toEqual(['yes', 'no']);
    expect(metadata.get('tokenizer.chat_template.rerank')).toMatch(/<Query>: \{query\}\n<Document>: \{document\}/);
  });

  test('its output matrix is not needed for anything else', async () => {
    const { tensors } = await convert(filesOf('qwen3-reranker-untied'), 'qwen3-reranker');
    expect(tensors.map(({ name }) => name)).not.toContain('output.weight');
  });

  test('only if its vocabulary has the answers', async () => {
    await expect(convert(filesOf('qwen-3'), 'qwen3-reranker')).rejects.toThrow('has no token "yes"');
  });
});

test('layers after the pooling belong to EmbeddingGemma', async () => {
  const { metadata, tensors } = await convert(filesOf('embedding-gemma'));
  expect(tensors.slice(0, 2)).toMatchObject([
    { name: 'dense_2.weight', shape: [64, 128] },
    { name: 'dense_3.weight', shape: [128, 64] },
  ]);
  expect(metadata.get('gemma-embedding.dense_2_feat_out')).toBe(128);
});

test('the context of Nomic is the one that it was trained for', async () => {
  expect((await convert(filesOf('nomic-bert'))).metadata.get('nomic-bert.context_length')).toBe(2048);
});

test('heads of Gemma 4 have the sizes of one key or of each layer', async () => {
  const sizeOf = async (name: string) => (await convert(filesOf(name))).metadata.get('gemma4.attention.key_length');
  expect(await sizeOf('gemma-4')).toBe(32);
  expect(await sizeOf('gemma-4-e')).toBe(32);
});

describe('is refused with a reason', () => {
  const withConfig = (name: string, change: Readonly<Record<string, unknown>>) =>
    withJson(filesOf(name), 'config.json', change);
  const dense = { idx: 2, name: '2', path: '2_Dense', type: 'sentence_transformers.models.Dense' };
  const cases: Readonly<Record<string, [() => Files, RegExp]>> = {
    'a ModernBERT classifier of the first token': [
      () => withConfig('modern-bert', { architectures: ['ModernBertForSequenceClassification'] }),
      /reads the first token/,
    ],
    'ModernBERT with other distances of full attention': [
      () => withConfig('modern-bert', { layer_types: ['full_attention', 'full_attention', 'sliding_attention'] }),
      /equal distances/,
    ],
    'Nomic with norms in front': [() => withConfig('nomic-bert', { prenorm: true }), /whose prenorm is true/],
    'Nomic of another length': [() => withConfig('nomic-bert', { n_positions: 4096 }), /4096 positions/],
    'Nomic with experts that do not fit': [
      () => withConfig('nomic-bert-moe', { num_experts: 3 }),
      /256 rows, which 3 experts cannot share/,
    ],
    'Jina 2 with other positions': [() => withConfig('jina-2', { position_embedding_type: 'absolute' }), /alibi/],
    'a layer after the pooling of BERT': [
      () => ({ ...filesOf('bert'), 'modules.json': json([dense]) }),
      /no layer after the pooling/,
    ],
    'a layer after the pooling with an activation': [
      () =>
        withJson(filesOf('embedding-gemma'), '2_Dense/config.json', {
          activation_function: 'torch.nn.modules.activation.Tanh',
        }),
      /without activation and bias/,
    ],
    'a layer after the pooling of another size': [
      () => withJson(filesOf('embedding-gemma'), '2_Dense/config.json', { out_features: 64 }),
      /no linear\.weight of the shape/,
    ],
    'too many modules': [
      () => ({ ...filesOf('bert'), 'modules.json': json(Array.from({ length: 17 }, () => ({ ...dense, path: '' }))) }),
      /more than 16 modules/,
    ],
    'Unigram with a token that is not valid': [
      () => withJson(filesOf('xlm-roberta'), 'tokenizer.json', { model: { type: 'Unigram', vocab: [['a', 'b']] } }),
      /the token 0 of tokenizer\.json/,
    ],
    'Gemma 4 with other rope parameters': [
      () => withConfig('gemma-4', { rope_parameters: { full_attention: { rope_type: 'default' } } }),
      /proportional rope parameters/,
    ],
    'Gemma 4 with layers that have no type': [
      () => withConfig('gemma-4', { layer_types: ['full_attention'] }),
      /6 layers, but layer_types of 1/,
    ],
    'FP8 with blocks of another size': [
      () => withConfig('qwen-3-fp8', { quantization_config: { quant_method: 'fp8', weight_block_size: [16, 16] } }),
      /do not match/,
    ],
    'FP8 without scales': [
      () => withConfig('qwen-3-fp8', { quantization_config: { quant_method: 'modelopt', quant_algo: 'FP8' } }),
      /has no scale/,
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [files, message]) => {
    await expect(convert(files())).rejects.toThrow(message);
  });
});
