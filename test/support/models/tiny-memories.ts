// Small models with random weights, one for each kind of memory that llama.cpp has for a sequence: a KV cache (Llama),
// a KV cache with windowed layers (Command R7B), convolutions next to a KV cache (LFM2), and a state alone (Mamba). They
// share a vocabulary of ASCII characters and ChatML tags.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { randomNumbers } from './random-numbers.ts';
import { type TensorSource, writeGguf } from './write-gguf.ts';

const width = 64;
const heads = 4;
const keyHeads = 2;
const inner = 128;
const context = 4096;
/** Tokens that a windowed layer attends to. */
export const windowLength = 32;

const controls = ['<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>'] as const;
const byteTokens = Array.from({ length: 128 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
// The tokenizer writes a space like this.
/** The texts of the tokens. */
export const vocabulary = [...controls, ...byteTokens, '\u2581'];

type Shape = readonly number[];
type Shapes = readonly (readonly [name: string, shape: Shape])[];

interface Architecture {
  readonly name: string;
  readonly layers: number;
  readonly metadata: Readonly<Record<string, GgufEntry>>;
  /** Tensors outside the layers, in GGUF order: the row size comes first. */
  readonly outer: Shapes;
  readonly layer: (index: number) => Shapes;
}

const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
const f32 = (value: number): GgufEntry => ({ type: 'f32', value });
const text = (value: string): GgufEntry => ({ type: 'string', value });

const embedding = ['token_embd.weight', [width, vocabulary.length]] as const;
const output = ['output.weight', [width, vocabulary.length]] as const;
const outputNorm = ['output_norm.weight', [width]] as const;
const headWidth = width / heads;
const attention: Shapes = [
  ['attn_q.weight', [width, width]],
  ['attn_k.weight', [width, headWidth * keyHeads]],
  ['attn_v.weight', [width, headWidth * keyHeads]],
  ['attn_output.weight', [width, width]],
];
const feedForward: Shapes = [
  ['ffn_gate.weight', [width, inner]],
  ['ffn_up.weight', [width, inner]],
  ['ffn_down.weight', [inner, width]],
];
const convolution: Shapes = [
  ['shortconv.conv.weight', [3, width]],
  ['shortconv.in_proj.weight', [width, 3 * width]],
  ['shortconv.out_proj.weight', [width, width]],
];
const attentionNorm = ['attn_norm.weight', [width]] as const;
const feedForwardNorm = ['ffn_norm.weight', [width]] as const;
const attentionEntries = { 'attention.head_count': u32(heads), 'attention.head_count_kv': u32(keyHeads) };
const isConvolution = (layer: number): boolean => layer % 2 === 0;

const architectures = {
  attention: {
    name: 'llama',
    layers: 2,
    metadata: {
      ...attentionEntries,
      'attention.layer_norm_rms_epsilon': f32(1e-5),
      'rope.dimension_count': u32(headWidth),
    },
    outer: [embedding, outputNorm, output],
    layer: () => [attentionNorm, ...attention, feedForwardNorm, ...feedForward],
  },
  windowed: {
    name: 'cohere2',
    layers: 4,
    metadata: {
      ...attentionEntries,
      'attention.layer_norm_epsilon': f32(1e-5),
      'attention.sliding_window': u32(windowLength),
      logit_scale: f32(1),
      'rope.dimension_count': u32(headWidth),
    },
    outer: [embedding, outputNorm],
    layer: () => [attentionNorm, ...attention, ...feedForward],
  },
  hybrid: {
    name: 'lfm2',
    layers: 4,
    metadata: {
      'attention.head_count': u32(heads),
      'attention.head_count_kv': {
        type: 'i32s',
        value: [0, 1, 2, 3].map((layer) => (isConvolution(layer) ? 0 : keyHeads)),
      },
      'attention.layer_norm_rms_epsilon': f32(1e-5),
      'shortconv.l_cache': u32(3),
    },
    outer: [embedding, ['token_embd_norm.weight', [width]], output],
    layer: (index) => [
      attentionNorm,
      feedForwardNorm,
      ...feedForward,
      ...(isConvolution(index)
        ? convolution
        : [...attention, ['attn_q_norm.weight', [headWidth]] as const, ['attn_k_norm.weight', [headWidth]] as const]),
    ],
  },
  recurrent: {
    name: 'mamba',
    layers: 2,
    metadata: {
      'attention.head_count': u32(0),
      'attention.layer_norm_rms_epsilon': f32(1e-5),
      'ssm.conv_kernel': u32(4),
      'ssm.inner_size': u32(2 * width),
      'ssm.state_size': u32(16),
      'ssm.time_step_rank': u32(4),
    },
    outer: [embedding, outputNorm, output],
    layer: () => [
      attentionNorm,
      ['ssm_in.weight', [width, 4 * width]],
      ['ssm_conv1d.weight', [4, 2 * width]],
      ['ssm_conv1d.bias', [2 * width]],
      ['ssm_x.weight', [2 * width, 4 + 2 * 16]],
      ['ssm_dt.weight', [4, 2 * width]],
      ['ssm_dt.bias', [2 * width]],
      ['ssm_a', [16, 2 * width]],
      ['ssm_d', [2 * width]],
      ['ssm_out.weight', [2 * width, width]],
    ],
  },
} as const satisfies Record<string, Architecture>;

/** Tokens that end an answer. */
export const endTokens = [controls.indexOf('</s>'), controls.indexOf('<|im_end|>')];

export type MemoryModel = keyof typeof architectures;
export const memoryModels = Object.keys(architectures) as MemoryModel[];

export function writeMemoryModel(path: string, model: MemoryModel): void {
  const { name, layers, metadata, outer, layer }: Architecture = architectures[model];
  const inner = Array.from({ length: layers }, (_, index) =>
    layer(index).map(([tensor, shape]) => [`blk.${index}.${tensor}`, shape] as const),
  );
  const own = Object.entries(metadata).map(([key, entry]) => [`${name}.${key}`, entry] as const);
  const next = randomNumbers(7);
  writeGguf(
    path,
    { ...commonMetadata(name, layers), ...Object.fromEntries(own), ...tokenizer },
    [...outer, ...inner.flat()].map(([tensor, shape]) => randomTensor(tensor, shape, next)),
  );
}

function commonMetadata(name: string, layers: number): Record<string, GgufEntry> {
  return {
    'general.architecture': text(name),
    'general.name': text(`tiny ${name}`),
    'general.file_type': u32(0),
    [`${name}.block_count`]: u32(layers),
    [`${name}.context_length`]: u32(context),
    [`${name}.embedding_length`]: u32(width),
    [`${name}.feed_forward_length`]: u32(name === 'mamba' ? 0 : inner),
    [`${name}.vocab_size`]: u32(vocabulary.length),
  };
}

const [normalType, unknownType, controlType, byteType] = [1, 2, 3, 6] as const;

function typeOf(token: string, index: number): number {
  if (index === 0) return unknownType;
  if (index < controls.length) return controlType;
  return token.startsWith('<0x') ? byteType : normalType;
}

/** The metadata of the vocabulary. */
export const tokenizer: Readonly<Record<string, GgufEntry>> = {
  'tokenizer.ggml.model': text('llama'),
  'tokenizer.ggml.pre': text('default'),
  'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary },
  'tokenizer.ggml.scores': { type: 'f32s', value: vocabulary.map(() => 0) },
  'tokenizer.ggml.token_type': { type: 'i32s', value: vocabulary.map(typeOf) },
  'tokenizer.ggml.unknown_token_id': u32(controls.indexOf('<unk>')),
  'tokenizer.ggml.bos_token_id': u32(controls.indexOf('<s>')),
  'tokenizer.ggml.eos_token_id': u32(controls.indexOf('</s>')),
  'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
  'tokenizer.ggml.add_space_prefix': { type: 'bool', value: false },
};

/** Norms are close to one, the decay of a state is negative, everything else has a variance that keeps activations of
 * the same size from layer to layer. */
function randomTensor(name: string, shape: Shape, next: () => number): TensorSource {
  const spread = 1.7 / Math.sqrt(shape.length === 1 ? width : (shape[0] as number));
  const value = (): number => {
    if (name.includes('norm')) return 0.8 + 0.4 * next();
    if (name.endsWith('ssm_a')) return -0.05 - next();
    return spread * (2 * next() - 1);
  };
  return {
    name,
    shape,
    type: 'F32',
    fill(buffer) {
      for (let offset = 0; offset < buffer.length; offset += 4) buffer.writeFloatLE(value(), offset);
    },
  };
}
