// Generates a hybrid model of the LFM2 architecture with random weights: convolutions, whose state belongs to the last
// token alone, in turn with attention. A character is a token, and ChatML tags are control tokens.

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { GgufEntry } from '../src/formats/gguf/encode-entry.ts';
import { tokenizer, vocabulary } from '../test/support/models/tiny-memories.ts';
import { type TensorSource, writeGguf } from '../test/support/models/write-gguf.ts';
import { ones, randomWeights } from './random-model.ts';

const width = 512;
const inner = 1536;
const layers = 8;
const heads = 8;
const keyHeads = 4;
const headWidth = width / heads;
const convolutionLength = 3;
const contextLength = 32_768;

/** Returns the path of the model. Generates it if it does not exist. */
export function hybridModel(folder: string): string {
  const path = join(folder, 'hybrid.gguf');
  if (existsSync(path)) return path;
  console.error('Writing a hybrid model …');
  mkdirSync(folder, { recursive: true });
  writeGguf(`${path}.part`, metadata(), tensors());
  renameSync(`${path}.part`, path);
  return path;
}

const hasAttention = (layer: number): boolean => layer % 2 === 1;

function metadata(): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const keyHeadsOf = Array.from({ length: layers }, (_, layer) => (hasAttention(layer) ? keyHeads : 0));
  return {
    'general.architecture': { type: 'string', value: 'lfm2' },
    'general.name': { type: 'string', value: 'hybrid' },
    'general.file_type': u32(1),
    'lfm2.block_count': u32(layers),
    'lfm2.context_length': u32(contextLength),
    'lfm2.embedding_length': u32(width),
    'lfm2.feed_forward_length': u32(inner),
    'lfm2.vocab_size': u32(vocabulary.length),
    'lfm2.attention.head_count': u32(heads),
    'lfm2.attention.head_count_kv': { type: 'i32s', value: keyHeadsOf },
    'lfm2.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-5 },
    'lfm2.shortconv.l_cache': u32(convolutionLength),
    ...tokenizer,
  };
}

function tensors(): TensorSource[] {
  const random = randomWeights();
  const matrix = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'F16', fill: random });
  const norm = (name: string, size = width): TensorSource => ({ name, shape: [size], type: 'F32', fill: ones });
  const attention = (block: string): TensorSource[] => [
    matrix(`${block}.attn_q.weight`, width, width),
    matrix(`${block}.attn_k.weight`, width, headWidth * keyHeads),
    matrix(`${block}.attn_v.weight`, width, headWidth * keyHeads),
    matrix(`${block}.attn_output.weight`, width, width),
    norm(`${block}.attn_q_norm.weight`, headWidth),
    norm(`${block}.attn_k_norm.weight`, headWidth),
  ];
  const convolution = (block: string): TensorSource[] => [
    { name: `${block}.shortconv.conv.weight`, shape: [convolutionLength, width], type: 'F32', fill: ones },
    matrix(`${block}.shortconv.in_proj.weight`, width, 3 * width),
    matrix(`${block}.shortconv.out_proj.weight`, width, width),
  ];
  const layer = (_: unknown, index: number): TensorSource[] => {
    const block = `blk.${index}`;
    return [
      norm(`${block}.attn_norm.weight`),
      norm(`${block}.ffn_norm.weight`),
      matrix(`${block}.ffn_gate.weight`, width, inner),
      matrix(`${block}.ffn_up.weight`, width, inner),
      matrix(`${block}.ffn_down.weight`, inner, width),
      ...(hasAttention(index) ? attention(block) : convolution(block)),
    ];
  };
  return [
    matrix('token_embd.weight', width, vocabulary.length),
    norm('token_embd_norm.weight'),
    matrix('output.weight', width, vocabulary.length),
    ...Array.from({ length: layers }, layer).flat(),
  ];
}
