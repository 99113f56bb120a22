// Importance matrices of tiny models, compared with sums that are computed here from their weights.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { evaluateText } from '../../src/features/imatrix/collect/evaluate-text.ts';
import { tokensPerChunk } from '../../src/features/imatrix/imatrix-messages.ts';
import type { ImatrixEntry } from '../../src/formats/gguf/write-imatrix.ts';
import type { ModelPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { createVocabulary } from '../../src/inference/runner/llama/vocabulary.ts';
import { type TinyModel, writeTinyModel } from '../support/architectures/tiny-model.ts';
import { families } from '../support/families/families.ts';
import type { Family } from '../support/families/family-keys.ts';
import { openFamilyEngine } from '../support/families/tensor-shapes.ts';
import { familyModel } from '../support/families/write-family.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-imatrix-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));
const engine = openFamilyEngine(folder);

/** A character is a token. */
const characters = 'The quick brown fox jumps over the lazy dog, and the dog sleeps. ';
const text = characters.repeat(20);

interface Measured {
  readonly model: TinyModel;
  readonly entries: ReadonlyMap<string, ImatrixEntry>;
  readonly chunks: number;
}

async function measure(name: string, options: { text?: string; maxChunks?: number } = {}): Promise<Measured> {
  const model = familyModel(engine, name, families.get(name) as Family);
  const path = join(folder, `${name}.gguf`);
  writeTinyModel(path, model);
  const { entries, chunks } = await evaluateText(engine.api, { model: path, text, onProgress: () => {}, ...options });
  return { model, entries: new Map(entries.map((entry) => [entry.name, entry])), chunks };
}

function sumsOf({ entries }: Measured, name: string): Float32Array {
  const entry = entries.get(name);
  if (entry === undefined) throw new Error(`${name} is not in ${[...entries.keys()].join(' ')}`);
  return entry.sums;
}

/** To the precision of numbers of 32 bits, with the rounding of a graph. */
function expectClose(actual: Float32Array, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (const [index, value] of actual.entries())
    expect(Math.abs(value - (expected[index] as number))).toBeLessThan(1e-3 * (expected[index] as number) + 1e-6);
}

/** What the first layer of a llama multiplies with its matrices, squared and summed over the tokens of a text. */
function firstInputs({ tensors }: TinyModel, tokens: readonly number[]): number[] {
  const valuesOf = (name: string): Float32Array =>
    tensors.find((tensor) => tensor.name === name)?.values as Float32Array;
  const [embedding, scale] = [valuesOf('token_embd.weight'), valuesOf('blk.0.attn_norm.weight')];
  const sums = new Array<number>(scale.length).fill(0);
  for (const token of tokens) {
    const row = embedding.subarray(token * scale.length, (token + 1) * scale.length);
    const mean = row.reduce((sum, value) => sum + value * value, 0) / row.length;
    for (const [column, value] of row.entries())
      sums[column] = (sums[column] as number) + (value * (scale[column] as number)) ** 2 / (mean + 1e-5);
  }
  return sums;
}

function tokenize(path: string): { readonly tokens: readonly number[]; readonly begin: number | undefined } {
  const { api } = engine;
  const model = api.modelLoad(path, { ...api.modelDefaultParams(), vocab_only: true }) as ModelPointer;
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const tokens = vocabulary.tokenize(text, { addSpecial: true, plain: true });
  return { tokens, begin: vocabulary.addsBos ? api.vocabBos(vocabulary.pointer) : undefined };
}

test('the sums of the first layer are those of its input', async () => {
  const measured = await measure('llama');
  const { tokens: all, begin } = tokenize(join(folder, 'llama.gguf'));
  expect(measured.chunks).toBe(Math.floor(all.length / tokensPerChunk));
  // A token that begins a text is the first one of each chunk.
  const tokens = all
    .slice(0, measured.chunks * tokensPerChunk)
    .map((token, index) => (begin !== undefined && index % tokensPerChunk === 0 ? begin : token));
  for (const name of ['attn_q', 'attn_k', 'attn_v'])
    expectClose(sumsOf(measured, `blk.0.${name}.weight`), firstInputs(measured.model, tokens));
  expect(sumsOf(measured, 'blk.1.attn_q.weight')).not.toEqual(sumsOf(measured, 'blk.0.attn_q.weight'));
  for (const { counts } of measured.entries.values()) expect([...counts]).toEqual([tokens.length]);
  const matrices = measured.model.tensors.filter(({ name, shape }) => name.startsWith('blk.') && shape.length === 2);
  expect([...measured.entries.keys()]).toEqual(matrices.map(({ name }) => name).sort());
});

test('experts have sums and counts of their own', async () => {
  const measured = await measure('qwen3moe', { maxChunks: 1 });
  const router = sumsOf(measured, 'blk.1.ffn_gate_inp.weight');
  const { sums, counts } = measured.entries.get('blk.1.ffn_gate_exps.weight') as ImatrixEntry;
  const [experts, used] = [4, 2];
  expect(counts.length).toBe(experts);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(used * tokensPerChunk);
  // Each token is an input of the router, and of the experts that are used.
  const ofAll = Array.from(router, (_, column) =>
    counts.reduce((sum, __, expert) => sum + (sums[expert * router.length + column] as number), 0),
  );
  expectClose(
    router.map((value) => used * value),
    ofAll,
  );
  expectClose(sumsOf(measured, 'blk.1.ffn_up_exps.weight'), sums);
  expect(measured.entries.get('blk.1.ffn_down_exps.weight')?.counts).toEqual(counts);
});

test.each(['gemma3', 'gpt-oss', 'mamba2', 'lfm2', 'deepseek2', 'rwkv7', 'phi3'])('%s', async (name) => {
  const { model, entries } = await measure(name, { maxChunks: 1 });
  const sizes = new Map(model.tensors.map(({ name: tensor, shape }) => [tensor, shape]));
  expect(entries.size).toBeGreaterThan(2);
  for (const { name: tensor, sums } of entries.values()) {
    const [columns = 0, , matrices = 1] = sizes.get(tensor) ?? [];
    expect([tensor, sums.length]).toEqual([tensor, columns * matrices]);
    expect([tensor, sums.every((value) => value >= 0) && sums.some((value) => value > 0)]).toEqual([tensor, true]);
  }
});

test('a text that is too short, and a model that computes vectors, are refused', async () => {
  await expect(measure('llama', { text: 'too short' })).rejects.toThrow(
    'the text has 10 tokens; at least 512 are needed',
  );
  await expect(measure('nomic-bert')).rejects.toThrow('not for embedding models');
});
