import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { publishedRows } from '../../../../test/support/architectures/published-rows.ts';
import { type TinyModel, writeTinyModel } from '../../../../test/support/architectures/tiny-model.ts';
import { type TensorSource, writeGguf } from '../../../../test/support/models/write-gguf.ts';
import type { GgufEntry } from '../../../formats/gguf/encode-entry.ts';
import { createModelFactsReader } from './model-facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-facts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const facts = createModelFactsReader();

const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
const base = {
  'general.architecture': { type: 'string', value: 'test' },
  'test.block_count': u32(4),
  'test.context_length': u32(8192),
  'test.embedding_length': u32(512),
  'test.attention.head_count': u32(8),
} satisfies Record<string, GgufEntry>;

let files = 0;
function shapeOf(entries: Record<string, GgufEntry>, tensors: readonly TensorSource[] = []) {
  const path = join(folder, `${files++}.gguf`);
  writeGguf(path, entries, tensors);
  return facts.read({ kind: 'local', key: path, weightsPath: path, adapterPaths: [], fileBytes: 0 });
}

test('a head has its share of the width, and all heads have keys and values', async () => {
  const { shape } = await shapeOf(base);
  const perToken = 4 * 8 * 64;
  const expected = { keyLength: 64, valueLength: 64, keysPerToken: perToken, valuesPerToken: perToken };
  expect(shape).toEqual({ ...expected, heads: 8, trainedContext: 8192, embedsOnly: false });
});

test('fewer heads with keys, and lengths of their own', async () => {
  const { shape } = await shapeOf({
    ...base,
    'test.attention.head_count_kv': u32(2),
    'test.attention.key_length': u32(128),
    'test.attention.value_length': u32(96),
  });
  expect(shape).toMatchObject({ keyLength: 128, keysPerToken: 4 * 2 * 128, valuesPerToken: 4 * 2 * 96 });
});

test('a hybrid model has a number for each layer, 0 without attention', async () => {
  const counts: GgufEntry = { type: 'i32s', value: [0, 2, 0, 2] };
  expect((await shapeOf({ ...base, 'test.attention.head_count_kv': counts })).shape?.keysPerToken).toBe(4 * 64);
});

test('without a dimension the shape is unknown', async () => {
  const { 'test.embedding_length': _, ...incomplete } = base;
  expect((await shapeOf(incomplete)).shape).toBeUndefined();
  expect((await shapeOf({ ...base, 'test.attention.head_count': u32(0) })).shape).toBeUndefined();
});

const tensor = (name: string, ...shape: readonly number[]): TensorSource => ({ name, shape, type: 'F16', fill() {} });
const tensors = [
  tensor('token_embd.weight', 8, 100),
  ...[0, 1, 2, 3].map((layer) => tensor(`blk.${layer}.ffn_up.weight`, 8, 4 * (layer + 1))),
  tensor('output.weight', 8, 50),
];

test('the weights of each layer', async () => {
  const { shape } = await shapeOf({ ...base, 'test.feed_forward_length': u32(2048) }, tensors);
  expect(shape?.weights).toEqual({
    layers: [64, 128, 192, 256].map((bytes) => ({ bytes, expertBytes: 0, cacheShare: 0.25 })),
    input: 1600,
    output: 800,
    vocabulary: 100,
    width: 2048,
  });
});

test('the KV cache of a hybrid model belongs to the layers with attention', async () => {
  const counts: GgufEntry = { type: 'i32s', value: [0, 1, 0, 3] };
  const { shape } = await shapeOf({ ...base, 'test.attention.head_count_kv': counts }, tensors);
  expect(shape?.weights?.layers.map(({ cacheShare }) => cacheShare)).toEqual([0, 0.25, 0, 0.75]);
  expect(shape?.weights?.width).toBe(512);
});

test("a model in the dialect of Ollama's library has the facts of its translation", async () => {
  const rows = publishedRows();
  const read = (row: string) => {
    const published = rows.find((candidate) => candidate.row === row)?.published as TinyModel;
    const path = join(folder, `${row}.gguf`);
    writeTinyModel(path, published);
    return facts.read({ kind: 'local', key: path, weightsPath: path, adapterPaths: [], fileBytes: 0 });
  };
  const gemma = await read('gemma3');
  expect(gemma.translated).toMatchObject({ row: 'gemma3', weights: true, projector: false });
  expect(gemma.translated?.ownProjectorBytes).toBeGreaterThan(100_000);
  expect(gemma.shape?.trainedContext).toBe(2048);
  // Without the tensors of the image encoder.
  expect(gemma.shape?.weights?.layers).toHaveLength(6);
  expect(gemma.shape?.weights?.output).toBeLessThan(100_000);
  expect((await read('embeddinggemma')).embedsOnly).toBe(true);
  expect((await read('gptoss')).shape?.keyLength).toBe(16);
});
