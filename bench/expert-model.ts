// Generates a mixture of experts with random weights: the shape of Qwen3 30B A3B in the types of Q4_K_M. Its blocks are
// written as they are, because a file in half floats would take 60 GB.

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { GgufEntry } from '../src/formats/gguf/encode-entry.ts';
import { type TensorSource, writeGguf } from '../test/support/models/write-gguf.ts';
import { ones, tokens } from './random-model.ts';

export interface ExpertShape {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headWidth: number;
  readonly experts: number;
  readonly used: number;
  readonly inner: number;
  readonly vocabulary: number;
}

export const thirtyBillion: ExpertShape = {
  width: 2048,
  layers: 48,
  heads: 32,
  kvHeads: 4,
  headWidth: 128,
  experts: 128,
  used: 8,
  inner: 768,
  vocabulary: 151_936,
};

const contextLength = 32_768;
const q4KM = 15;

/** Returns the path of the model, of 18 GB in the default shape. Generates it if it does not exist. */
export function expertModel(folder: string, name = 'random-30b-a3b', shape = thirtyBillion): string {
  const path = join(folder, `${name}-q4_k_m.gguf`);
  if (existsSync(path)) return path;
  console.error(`Writing the model ${name} …`);
  mkdirSync(folder, { recursive: true });
  writeGguf(`${path}.part`, metadata(name, shape), tensors(shape));
  renameSync(`${path}.part`, path);
  return path;
}

function metadata(name: string, shape: ExpertShape): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const string = (value: string): GgufEntry => ({ type: 'string', value });
  return {
    'general.architecture': string('qwen3moe'),
    'general.name': string(name),
    'general.file_type': u32(q4KM),
    'qwen3moe.block_count': u32(shape.layers),
    'qwen3moe.context_length': u32(contextLength),
    'qwen3moe.embedding_length': u32(shape.width),
    'qwen3moe.feed_forward_length': u32(8 * shape.inner),
    'qwen3moe.expert_feed_forward_length': u32(shape.inner),
    'qwen3moe.expert_count': u32(shape.experts),
    'qwen3moe.expert_used_count': u32(shape.used),
    'qwen3moe.attention.head_count': u32(shape.heads),
    'qwen3moe.attention.head_count_kv': u32(shape.kvHeads),
    'qwen3moe.attention.key_length': u32(shape.headWidth),
    'qwen3moe.attention.value_length': u32(shape.headWidth),
    'qwen3moe.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-6 },
    'qwen3moe.rope.freq_base': { type: 'f32', value: 1e6 },
    'tokenizer.ggml.model': string('gpt2'),
    'tokenizer.ggml.pre': string('gpt-2'),
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens(shape.vocabulary) },
    'tokenizer.ggml.token_type': { type: 'i32s', value: new Array<number>(shape.vocabulary).fill(1) },
    'tokenizer.ggml.merges': { type: 'strings', value: ['t h'] },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
  };
}

function tensors({
  width,
  layers,
  heads,
  kvHeads,
  headWidth,
  experts,
  inner,
  vocabulary,
}: ExpertShape): TensorSource[] {
  const q4 = randomBlocks(144, [0, 2]);
  const q6 = randomBlocks(210, [208]);
  const matrix = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'Q4_K', fill: q4 });
  const finer = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'Q6_K', fill: q6 });
  const norm = (name: string, size: number): TensorSource => ({ name, shape: [size], type: 'F32', fill: ones });
  const list = [
    norm('output_norm.weight', width),
    matrix('token_embd.weight', width, vocabulary),
    finer('output.weight', width, vocabulary),
  ];
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    // The values and the ends of half of the layers are finer, as in Q4_K_M.
    const end = layer % 2 === 0 ? finer : matrix;
    list.push(
      norm(`${block}.attn_norm.weight`, width),
      matrix(`${block}.attn_q.weight`, width, heads * headWidth),
      norm(`${block}.attn_q_norm.weight`, headWidth),
      matrix(`${block}.attn_k.weight`, width, kvHeads * headWidth),
      norm(`${block}.attn_k_norm.weight`, headWidth),
      end(`${block}.attn_v.weight`, width, kvHeads * headWidth),
      matrix(`${block}.attn_output.weight`, heads * headWidth, width),
      norm(`${block}.ffn_norm.weight`, width),
      // The choice of experts is random too: different tokens use different ones.
      { name: `${block}.ffn_gate_inp.weight`, shape: [width, experts], type: 'F32', fill: randomFloats() },
      matrix(`${block}.ffn_gate_exps.weight`, width, inner, experts),
      matrix(`${block}.ffn_up_exps.weight`, width, inner, experts),
      end(`${block}.ffn_down_exps.weight`, inner, width, experts),
    );
  }
  return list;
}

type Fill = TensorSource['fill'];

const poolBlocks = 2 ** 15;
/** A half float: 2^-12. */
const smallScale = 0x0c00;

function numbers(): () => number {
  let state = 12_345;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Random blocks with small scales, which are half floats at these places of a block. */
function randomBlocks(bytes: number, scales: readonly number[]): Fill {
  const next = numbers();
  const pool = Buffer.alloc(poolBlocks * bytes);
  for (let offset = 0; offset + 4 <= pool.length; offset += 4) pool.writeUInt32LE(next(), offset);
  for (let block = 0; block < poolBlocks; block++)
    for (const scale of scales) pool.writeUInt16LE(smallScale, block * bytes + scale);
  return (buffer) => {
    for (let filled = 0; filled < buffer.length; )
      filled += pool.copy(buffer, filled, bytes * (next() % (poolBlocks / 2)));
  };
}

function randomFloats(): Fill {
  const next = numbers();
  return (buffer) => {
    for (let offset = 0; offset < buffer.length; offset += 4) buffer.writeFloatLE(next() / 2 ** 32 - 0.5, offset);
  };
}
