// A decoder with random weights for tests of files: wide enough for every quantization type, and too small to answer.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { randomNumbers } from './random-numbers.ts';
import { toTensor } from './tiny-bert.ts';
import { writeGguf } from './write-gguf.ts';

// K-quants have blocks of 256 values, and some of them give the last of three layers more bits.
const width = 256;
const inner = 256;
const layers = 3;
const vocabulary = ['<unk>', '<s>', '</s>', 'a'];

/** In F32, which the server does not recognize: a file without a type looks the same. */
export function writeTinyLlama(path: string, seed: number): void {
  const next = randomNumbers(seed);
  const random = (name: string, ...shape: readonly number[]) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return toTensor(
      `${name}.weight`,
      shape,
      Float32Array.from({ length: count }, () => 2 * next() - 1),
    );
  };
  const block = (layer: number) => [
    random(`blk.${layer}.attn_norm`, width),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((part) => random(`blk.${layer}.${part}`, width, width)),
    random(`blk.${layer}.ffn_norm`, width),
    random(`blk.${layer}.ffn_gate`, width, inner),
    random(`blk.${layer}.ffn_up`, width, inner),
    random(`blk.${layer}.ffn_down`, inner, width),
  ];
  writeGguf(path, metadata(), [
    random('token_embd', width, vocabulary.length),
    random('output_norm', width),
    random('output', width, vocabulary.length),
    ...Array.from({ length: layers }, (_, layer) => block(layer)).flat(),
  ]);
}

function metadata(): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const text = (value: string): GgufEntry => ({ type: 'string', value });
  return {
    'general.architecture': text('llama'),
    'general.name': text('tiny-llama'),
    'general.file_type': u32(0),
    'llama.block_count': u32(layers),
    'llama.context_length': u32(64),
    'llama.embedding_length': u32(width),
    'llama.feed_forward_length': u32(inner),
    'llama.attention.head_count': u32(4),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-6 },
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary },
  };
}
