// Rows for which no tiny model is computed: what becomes of their keys and tensor names.

import { describe, expect, test } from 'vitest';
import type { GgufValue } from '../metadata.ts';
import type { GgufTensor } from '../read-gguf.ts';
import { type TensorType, tensorTypes } from '../tensor-types.ts';
import { needsArrays, translateGguf } from './translate-gguf.ts';
import { type TranslatedFile, viewOf } from './translation.ts';

const f16 = tensorTypes.get(1) as TensorType;

function headerOf(
  keys: Readonly<Record<string, GgufValue>>,
  tensors: Readonly<Record<string, readonly number[]>> = {},
) {
  const toTensor = ([name, shape]: readonly [string, readonly number[]]): GgufTensor => {
    const bytes = 2 * shape.reduce((product, size) => product * size, 1);
    return { name, shape, type: f16, offset: 0, bytes };
  };
  return {
    version: 3,
    metadata: new Map(Object.entries(keys)),
    tensors: Object.entries(tensors).map(toTensor),
    layout: { headerBytes: 0, alignment: 32, entries: new Map() },
  };
}

const namesOf = (file: TranslatedFile | undefined): string[] => (file?.tensors ?? []).map(({ name }) => name).sort();

describe('Llama 3', () => {
  const tokens = Array.from({ length: 128_256 }, (_, index) => `token ${index}`);
  tokens[128_006] = '<|start_header_id|>';
  tokens[128_009] = '<|eot_id|>';
  const keys = { 'general.architecture': 'llama', 'tokenizer.ggml.tokens': tokens };

  test('gets its pre-tokenizer and the token that ends a turn', () => {
    const header = headerOf({ ...keys, 'tokenizer.ggml.eos_token_id': 128_001 });
    const translation = translateGguf(header);
    expect(translation?.row).toBe('llama3');
    const { metadata } = viewOf(translation?.weights as TranslatedFile, header);
    expect(metadata.get('tokenizer.ggml.pre')).toBe('llama-bpe');
    expect(metadata.get('tokenizer.ggml.eos_token_id')).toBe(128_009);
    expect(metadata.get('tokenizer.ggml.eot_token_id')).toBe(128_009);
  });

  test('is left alone if it has both', () => {
    const complete = { ...keys, 'tokenizer.ggml.pre': 'llama-bpe', 'tokenizer.ggml.eos_token_id': 128_009 };
    expect(translateGguf(headerOf(complete))).toBeUndefined();
    expect(needsArrays(headerOf(complete))).toBe(false);
  });

  test('is not confused with other Llamas, whose vocabulary must be read to know', () => {
    const other = headerOf({ 'general.architecture': 'llama', 'tokenizer.ggml.tokens': ['<s>'] });
    expect(needsArrays(other)).toBe(true);
    expect(translateGguf(other)).toBeUndefined();
  });
});

test('Snowflake Arctic Embed 2: the character map becomes bytes', () => {
  const key = 'tokenizer.ggml.precompiled_charsmap';
  const characters = [...Buffer.from('a map').toString('base64')];
  const header = headerOf({ 'general.architecture': 'bert', 'tokenizer.ggml.model': 't5', [key]: characters });
  const { metadata } = viewOf(translateGguf(header)?.weights as TranslatedFile, header);
  expect(Buffer.from(metadata.get(key) as number[]).toString()).toBe('a map');
  const bytes = headerOf({ 'general.architecture': 'bert', 'tokenizer.ggml.model': 't5', [key]: [1, 2] });
  expect(translateGguf(bytes)).toBeUndefined();
});

test('a projector of LLaVA without a type', () => {
  const header = headerOf(
    { 'general.architecture': 'clip', 'clip.has_vision_encoder': true },
    { 'v.a.weight': [4, 4] },
  );
  const { projector, weights } = translateGguf(header) ?? {};
  expect(weights).toBeUndefined();
  expect(viewOf(projector as TranslatedFile, header).metadata.get('clip.projector_type')).toBe('mlp');
  const complete = headerOf({
    'general.architecture': 'clip',
    'clip.has_vision_encoder': true,
    'clip.projector_type': 'ldp',
  });
  expect(translateGguf(complete)).toBeUndefined();
});

test('DeepSeek OCR: two encoders and a projector', () => {
  const header = headerOf(
    { 'general.architecture': 'deepseekocr', 'deepseekocr.vision.head_count': 16, 'deepseekocr.sam.block_count': 12 },
    {
      'blk.0.attn_q.weight': [4, 4],
      's.position_embd': [4, 4],
      's.blk.0.attn.rel_pos_h': [4, 4],
      's.blk.0.attn.proj.weight': [4, 4],
      's.blk.0.norm1.weight': [4],
      'v.pre_layrnorm.weight': [4],
      'v.blk.0.self_attn.qkv_proj.weight': [4, 12],
      'v.blk.0.mlp.fc1.weight': [4, 4],
      'mm.layers.weight': [4, 4],
      'mm.view_seperator': [4],
    },
  );
  const { weights, projector } = translateGguf(header) ?? {};
  expect(namesOf(weights)).toEqual(['blk.0.attn_q.weight']);
  expect(namesOf(projector)).toEqual([
    'mm.model.fc.weight',
    'v.blk.0.attn_qkv.weight',
    'v.blk.0.ffn_up.weight',
    'v.pre_ln.weight',
    'v.sam.blk.0.attn.out.weight',
    'v.sam.blk.0.attn.pos_h.weight',
    'v.sam.blk.0.pre_ln.weight',
    'v.sam.pos_embd.weight',
    'v.view_seperator',
  ]);
  const { metadata } = viewOf(projector as TranslatedFile, header);
  expect(metadata.get('clip.vision.attention.head_count')).toBe(16);
  expect(metadata.get('clip.vision.sam.block_count')).toBe(12);
});

test('GLM OCR: the two convolutions have other names', () => {
  const header = headerOf(
    { 'general.architecture': 'glmocr', 'glmocr.vision.out_hidden_size': 64 },
    { 'v.patch_embd_0.weight': [2, 2, 3, 4], 'v.patch_embd_1.weight': [2, 2, 3, 4], 'mm.model.fc.weight': [4, 4] },
  );
  const projector = translateGguf(header)?.projector;
  expect(projector?.tensors.map(({ name, type }) => `${name} ${type.name}`).sort()).toEqual([
    'mm.model.fc.weight F16',
    'v.patch_embd.weight F32',
    'v.patch_embd.weight.1 F32',
  ]);
  expect(viewOf(projector as TranslatedFile, header).metadata.get('clip.vision.projection_dim')).toBe(64);
});

test('Gemma 4: image encoder and audio encoder', () => {
  const header = headerOf(
    { 'general.architecture': 'gemma4', 'gemma4.embedding_length': 64, 'gemma4.audio.block_count': 1 },
    {
      'token_embd.weight': [4, 4],
      'v.patch_embd.weight': [2, 2, 3, 4],
      'mm.input_projection.weight': [4, 4],
      'a.pre_encode.out.weight': [4, 4],
      'mm.a.fc.weight': [4, 4],
      'a.blk.0.ln1.weight': [4],
      'a.blk.0.ln2.weight': [4],
      'a.blk.0.layer_pre_norm.weight': [4],
      'a.blk.0.linear_pos.weight': [4, 4],
    },
  );
  const { weights, projector } = translateGguf(header) ?? {};
  expect(namesOf(weights)).toEqual(['token_embd.weight']);
  expect(namesOf(projector)).toEqual([
    'a.blk.0.attn_k_rel.weight',
    'a.blk.0.attn_post_norm.weight',
    'a.blk.0.attn_pre_norm.weight',
    'a.blk.0.ln2.weight',
    'a.input_projection.weight',
    'a.pre_encode.out.weight',
    'mm.input_projection.weight',
    'v.patch_embd.weight',
  ]);
  const { metadata } = viewOf(projector as TranslatedFile, header);
  expect(metadata.get('clip.vision.projector_type')).toBe('gemma4v');
  expect(metadata.get('clip.audio.projection_dim')).toBe(64);
});

test('Nemotron 3 Omni: positions are resized, the audio encoder is left out', () => {
  const header = headerOf(
    {
      'general.architecture': 'nemotron_h_omni',
      'nemotron_h_omni.expert_count': 4,
      'nemotron_h_omni.block_count': 2,
      'nemotron_h_omni.vision.embedding_length': 2,
      'nemotron_h_omni.vision.image_size': 4,
      'nemotron_h_omni.vision.patch_size': 2,
    },
    {
      'blk.0.attn_norm.weight': [4],
      'a.anything.weight': [4],
      'mm.a.fc.weight': [4],
      'mm.norm.weight': [4],
      'mm.1.weight': [4, 4],
      'v.cls_embd': [2],
      'v.position_embd': [2, 9],
      'v.patch_embd.weight': [12, 2],
    },
  );
  const { weights, projector } = translateGguf(header) ?? {};
  expect(namesOf(weights)).toEqual(['blk.0.attn_norm.weight']);
  const { metadata } = viewOf(weights as TranslatedFile, header);
  expect(metadata.get('general.architecture')).toBe('nemotron_h_moe');
  expect(metadata.get('nemotron_h_moe.block_count')).toBe(2);
  expect(projector?.tensors.map(({ name, shape }) => `${name} ${shape.join('×')}`).sort()).toEqual([
    'mm.model.mlp.0.weight 4',
    'mm.model.mlp.1.weight 4×4',
    'v.class_embd 2',
    'v.patch_embd.weight 2×2×3×2',
    'v.position_embd.weight 2×4',
  ]);
  const positions = projector?.tensors.find(({ name }) => name === 'v.position_embd.weight');
  // Nine vectors with the values 0, 1 … 17, as F16. The corners of the grid stay.
  const source = Buffer.alloc(36);
  const halves = [
    0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980, 0x4a00, 0x4a80, 0x4b00,
    0x4b80, 0x4c00, 0x4c40,
  ];
  for (const [index, half] of halves.entries()) source.writeUInt16LE(half, 2 * index);
  const resized = positions?.data.compute?.(source) as Buffer;
  const values = Array.from({ length: 8 }, (_, index) => resized.readFloatLE(4 * index));
  expect(values).toEqual([0, 1, 4, 5, 12, 13, 16, 17]);
});
