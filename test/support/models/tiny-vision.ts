// Vision models with random weights, too small to see anything. One has several positions for each token of an image, as
// Qwen2-VL has; in the other one, the tokens of an image attend to each other, as in Gemma 3.

import { join } from 'node:path';
import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { randomNumbers } from './random-numbers.ts';
import { toTensor } from './tiny-bert.ts';
import { type TensorSource, writeGguf } from './write-gguf.ts';

export type VisionFamily = 'qwen2vl' | 'gemma3';

export interface TinyVisionFiles {
  readonly weightsPath: string;
  readonly projectorPath: string;
}

const width = 64;
const inner = 96;
const layers = 2;
const heads = 2;
const headWidth = width / heads;
const patchSize = 14;
// Gemma's images have a fixed size: 8 × 8 patches become 2 × 2 tokens.
const patchesPerSide = 8;
export const gemmaImageTokens = 4;

const specials = ['<|vision_start|>', '<|vision_end|>', '<start_of_image>', '<end_of_image>', '<|end|>'];
const vocabulary = [
  ...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)),
  'Ġ',
  'Ċ',
  ...specials,
];

type Random = (name: string, ...shape: readonly number[]) => TensorSource;

export function writeTinyVision(folder: string, family: VisionFamily): TinyVisionFiles {
  const weightsPath = join(folder, `${family}.gguf`);
  const projectorPath = join(folder, `${family}-mmproj.gguf`);
  const random = createRandom();
  writeGguf(weightsPath, modelMetadata(family), modelTensors(family, random));
  writeGguf(projectorPath, projectorMetadata(family), projectorTensors(family, random));
  return { weightsPath, projectorPath };
}

function createRandom(): Random {
  const next = randomNumbers(5);
  return (name, ...shape) => {
    const length = shape.reduce((product, size) => product * size, 1);
    const middle = /norm|ln\d?\.weight/.test(name) ? 1 : 0;
    return toTensor(
      name,
      shape,
      Float32Array.from({ length }, () => middle + 0.5 * (2 * next() - 1)),
    );
  };
}

function eachLayer(block: (layer: number) => readonly TensorSource[]): TensorSource[] {
  return Array.from({ length: layers }, (_, layer) => block(layer)).flat();
}

function modelTensors(family: VisionFamily, random: Random): TensorSource[] {
  const block = (layer: number): TensorSource[] => {
    const weight = (part: string, ...shape: readonly number[]) => random(`blk.${layer}.${part}.weight`, ...shape);
    const attention = ['attn_q', 'attn_k', 'attn_v'];
    const own =
      family === 'gemma3'
        ? [
            weight('post_attention_norm', width),
            weight('attn_k_norm', headWidth),
            weight('attn_q_norm', headWidth),
            weight('post_ffw_norm', width),
          ]
        : attention.map((part) => random(`blk.${layer}.${part}.bias`, width));
    return [
      weight('attn_norm', width),
      ...attention.map((part) => weight(part, width, width)),
      weight('attn_output', width, width),
      weight('ffn_norm', width),
      weight('ffn_gate', width, inner),
      weight('ffn_up', width, inner),
      weight('ffn_down', inner, width),
      ...own,
    ];
  };
  return [
    random('token_embd.weight', width, vocabulary.length),
    random('output.weight', width, vocabulary.length),
    random('output_norm.weight', width),
    ...eachLayer(block),
  ];
}

function projectorTensors(family: VisionFamily, random: Random): TensorSource[] {
  const both = (name: string, ...shape: readonly number[]): TensorSource[] => [
    random(`${name}.weight`, ...shape),
    random(`${name}.bias`, shape.at(-1) ?? 0),
  ];
  const block = (layer: number): TensorSource[] => {
    const name = (part: string): string => `v.blk.${layer}.${part}`;
    return [
      ...['ln1', 'ln2'].flatMap((part) => both(name(part), width)),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_out'].flatMap((part) => both(name(part), width, width)),
      ...both(name('ffn_up'), width, inner),
      ...both(name('ffn_down'), inner, width),
    ];
  };
  const patch = [patchSize, patchSize, 3, width];
  const own =
    family === 'gemma3'
      ? [
          random('v.patch_embd.bias', width),
          random('v.position_embd.weight', width, patchesPerSide * patchesPerSide),
          random('mm.input_projection.weight', width, width),
          random('mm.soft_emb_norm.weight', width),
        ]
      : [
          random('v.patch_embd.weight.1', ...patch),
          // Four patches become one token.
          ...both('mm.0', 4 * width, 4 * width),
          ...both('mm.2', 4 * width, width),
        ];
  return [random('v.patch_embd.weight', ...patch), ...both('v.post_ln', width), ...eachLayer(block), ...own];
}

const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
const f32 = (value: number): GgufEntry => ({ type: 'f32', value });
const text = (value: string): GgufEntry => ({ type: 'string', value });

function modelMetadata(family: VisionFamily): Record<string, GgufEntry> {
  const [normal, control] = [1, 3] as const;
  const own: Record<string, GgufEntry> =
    family === 'gemma3'
      ? { 'gemma3.attention.key_length': u32(headWidth), 'gemma3.attention.value_length': u32(headWidth) }
      : { 'qwen2vl.rope.dimension_sections': { type: 'i32s', value: [4, 6, 6, 0] } };
  return {
    'general.architecture': text(family),
    'general.name': text(`tiny-${family}`),
    'general.file_type': u32(0),
    [`${family}.block_count`]: u32(layers),
    [`${family}.context_length`]: u32(2048),
    [`${family}.embedding_length`]: u32(width),
    [`${family}.feed_forward_length`]: u32(inner),
    [`${family}.attention.head_count`]: u32(heads),
    [`${family}.attention.head_count_kv`]: u32(heads),
    [`${family}.attention.layer_norm_rms_epsilon`]: f32(1e-6),
    [`${family}.rope.freq_base`]: f32(10_000),
    ...own,
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('qwen2'),
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary },
    'tokenizer.ggml.token_type': {
      type: 'i32s',
      value: vocabulary.map((token) => (specials.includes(token) ? control : normal)),
    },
    'tokenizer.ggml.merges': { type: 'strings', value: [] },
    'tokenizer.ggml.eos_token_id': u32(vocabulary.indexOf('<|end|>')),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
  };
}

function projectorMetadata(family: VisionFamily): Record<string, GgufEntry> {
  const half: GgufEntry = { type: 'f32s', value: [0.5, 0.5, 0.5] };
  return {
    'general.architecture': text('clip'),
    'general.file_type': u32(0),
    'clip.has_vision_encoder': { type: 'bool', value: true },
    'clip.use_gelu': { type: 'bool', value: true },
    'clip.projector_type': text(family === 'gemma3' ? 'gemma3' : 'qwen2vl_merger'),
    'clip.vision.image_size': u32(patchSize * patchesPerSide),
    'clip.vision.patch_size': u32(patchSize),
    'clip.vision.embedding_length': u32(width),
    'clip.vision.feed_forward_length': u32(inner),
    'clip.vision.projection_dim': u32(width),
    'clip.vision.block_count': u32(layers),
    'clip.vision.attention.head_count': u32(heads),
    'clip.vision.attention.layer_norm_epsilon': f32(1e-6),
    'clip.vision.image_mean': half,
    'clip.vision.image_std': half,
  };
}
