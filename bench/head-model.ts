// The counting model with a prediction head, of the architecture of GLM 4.5. The head is right for all tokens, for none, or
// for every second one.

import type { TensorSource } from '../test/support/models/write-gguf.ts';
import { countingTensors, countingWeights, half, metadata, ones, writeModel } from './random-model.ts';

export type HeadKind = 'right' | 'wrong' | 'half';

const architecture = 'glm4moe';
const { width, heads, kvHeads, vocabulary, layers } = half;
const kvWidth = kvHeads * (width / heads);
const experts = 2;
const inner = 256;

export function headModel(folder: string, kind: HeadKind): string {
  const plan = { name: `counting-head-${kind}`, contextLength: 32_768, shape: half, tensors: [] };
  const u32 = (value: number) => ({ type: 'u32' as const, value });
  const own = {
    nextn_predict_layers: u32(1),
    block_count: u32(layers + 1),
    leading_dense_block_count: u32(layers),
    expert_count: u32(experts),
    expert_used_count: u32(1),
    expert_shared_count: u32(1),
    expert_feed_forward_length: u32(inner),
  };
  const keys = Object.entries(metadata(plan)).map(([key, entry]) => [
    key.replace(/^llama\./, `${architecture}.`),
    entry,
  ]);
  const trunk = countingTensors(half).map((tensor) => ({
    ...tensor,
    name: tensor.name.replace('ffn_norm', 'post_attention_norm'),
  }));
  return writeModel(folder, {
    ...plan,
    tensors: [...trunk, ...headTensors(kind)],
    keys: {
      ...Object.fromEntries(keys),
      'general.architecture': { type: 'string', value: architecture },
      ...Object.fromEntries(Object.entries(own).map(([key, entry]) => [`${architecture}.${key}`, entry])),
    },
  });
}

/** The head sees the token alone. Its attention and its experts are computed, and add nothing. */
function headTensors(kind: HeadKind): TensorSource[] {
  const matrix = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'F16', fill: () => {} });
  const norm = (name: string): TensorSource => ({ name, shape: [width], type: 'F32', fill: ones });
  const norms = ['attn_norm', 'post_attention_norm', 'nextn.enorm', 'nextn.hnorm', 'nextn.shared_head_norm'];
  return [
    ...norms.map((name) => norm(`${name}.weight`)),
    matrix('attn_q.weight', width, width),
    matrix('attn_k.weight', width, kvWidth),
    matrix('attn_v.weight', width, kvWidth),
    matrix('attn_output.weight', width, width),
    matrix('ffn_gate_inp.weight', width, experts),
    { ...norm('exp_probs_b.bias'), shape: [experts], fill: () => {} },
    ...['ffn_gate_exps', 'ffn_up_exps'].map((name) => matrix(`${name}.weight`, width, inner, experts)),
    matrix('ffn_down_exps.weight', inner, width, experts),
    ...['ffn_gate_shexp', 'ffn_up_shexp'].map((name) => matrix(`${name}.weight`, width, inner)),
    matrix('ffn_down_shexp.weight', inner, width),
    { ...matrix('nextn.eh_proj.weight', 2 * width, width), fill: identity(2 * width) },
    {
      ...matrix('nextn.shared_head_head.weight', width, vocabulary),
      fill: countingWeights(width, previousToken[kind]),
    },
  ].map((tensor) => ({ ...tensor, name: `blk.${layers}.${tensor.name}` }));
}

/** The token after which the head expects another one. */
const previousToken: Readonly<Record<HeadKind, (token: number) => number>> = {
  right: (token) => token - 1,
  wrong: (token) => token,
  half: (token) => (token % 2 === 1 ? token - 1 : token - 3),
};

const halfOne = 0x3c00;

/** A matrix with this number of columns, as half floats. It is filled in pieces. */
function identity(columns: number): TensorSource['fill'] {
  let index = 0;
  return (buffer) => {
    buffer.fill(0);
    for (let offset = 0; offset < buffer.length; offset += 2, index++)
      if (Math.floor(index / columns) === index % columns) buffer.writeUInt16LE(halfOne, offset);
  };
}
