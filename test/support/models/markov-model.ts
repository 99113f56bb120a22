// A model of the llama architecture whose next token depends on the last one alone, with logits from a table: its
// layers add nothing. Kernels that round differently give it the same logits but for the last bits, so that sampled texts
// can be compared.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { type TensorSource, writeGguf } from './write-gguf.ts';

/** The logit of a token after another one. The first 256 tokens are bytes. */
export type Transition = (from: number, to: number) => number;

/** Tokens after those of the bytes. The last one ends answers. */
interface MarkovOptions {
  readonly tags?: readonly { readonly text: string; readonly isControl: boolean }[];
  readonly template?: string;
  readonly contextLength?: number;
  /** The prediction head. Absent: the model has none. */
  readonly head?: MarkovHead;
}

export interface MarkovHead {
  /** What follows the token that it sees. */
  readonly transition: Transition;
  /** The token that was chosen last, or the hidden state of the model, which is that of the token before. */
  readonly sees: 'token' | 'state';
}

// One dimension for each byte.
const width = 256;
const heads = 4;
const epsilon = 1e-5;
const headExperts = 2;
const headInner = 32;

export function writeMarkovModel(path: string, transition: Transition, options: MarkovOptions = {}): void {
  const rows = width + (options.tags?.length ?? 0);
  // The norm before the output turns the embedding of a byte, a one in its dimension, into this number.
  const normalized = 1 / Math.sqrt(1 / width + epsilon);
  const matrix = (name: string, valueAt: (row: number, column: number) => number, height = width): TensorSource => ({
    name,
    shape: [width, height],
    type: 'F32',
    fill: (buffer) => {
      for (let index = 0; index < width * height; index++)
        buffer.writeFloatLE(valueAt(Math.floor(index / width), index % width), 4 * index);
    },
  });
  const identity = (row: number, column: number): number => (row === column ? 1 : 0);
  const norm = (name: string): TensorSource => ({ name, shape: [width], type: 'F32', fill: fillOnes });
  const { head } = options;
  writeGguf(path, metadata(options), [
    matrix('token_embd.weight', identity, rows),
    matrix('output.weight', (to, from) => transition(from, to) / normalized, rows),
    norm('output_norm.weight'),
    norm('blk.0.attn_norm.weight'),
    norm(`blk.0.${head === undefined ? 'ffn_norm' : 'post_attention_norm'}.weight`),
    ...['attn_q', 'attn_k', 'attn_v', 'ffn_gate', 'ffn_up'].map((name) => matrix(`blk.0.${name}.weight`, identity)),
    ...['attn_output', 'ffn_down'].map((name) => matrix(`blk.0.${name}.weight`, () => 0)),
    ...(head === undefined ? [] : headTensors(head, normalized, rows)),
  ]);
}

/** The layer of a prediction head, which adds nothing to what it sees. */
function headTensors({ transition, sees }: MarkovHead, normalized: number, rows: number): TensorSource[] {
  const zeros = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'F32', fill: () => {} });
  const norm = (name: string): TensorSource => ({ name, shape: [width], type: 'F32', fill: fillOnes });
  const filled = (name: string, [columns, height]: readonly [number, number], valueAt: Transition): TensorSource => ({
    name,
    shape: [columns, height],
    type: 'F32',
    fill: (buffer) => {
      for (let index = 0; index < columns * height; index++)
        buffer.writeFloatLE(valueAt(Math.floor(index / columns), index % columns), 4 * index);
    },
  });
  const list = [
    ...['attn_norm', 'post_attention_norm', 'nextn.enorm', 'nextn.hnorm', 'nextn.shared_head_norm'].map((name) =>
      norm(`${name}.weight`),
    ),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => zeros(`${name}.weight`, width, width)),
    zeros('ffn_gate_inp.weight', width, headExperts),
    zeros('exp_probs_b.bias', headExperts),
    ...['ffn_gate_exps', 'ffn_up_exps'].map((name) => zeros(`${name}.weight`, width, headInner, headExperts)),
    zeros('ffn_down_exps.weight', headInner, width, headExperts),
    ...['ffn_gate_shexp', 'ffn_up_shexp'].map((name) => zeros(`${name}.weight`, width, headInner)),
    zeros('ffn_down_shexp.weight', headInner, width),
    filled('nextn.eh_proj.weight', [2 * width, width], (row, column) =>
      row === (sees === 'token' ? column : column - width) ? 1 : 0,
    ),
    filled('nextn.shared_head_head.weight', [width, rows], (to, from) => transition(from, to) / normalized),
  ];
  return list.map((tensor) => ({ ...tensor, name: `blk.1.${tensor.name}` }));
}

function fillOnes(buffer: Buffer): void {
  for (let offset = 0; offset < buffer.length; offset += 4) buffer.writeFloatLE(1, offset);
}

const tokenTypes = { normal: 1, control: 3, userDefined: 4 } as const;

function metadata({ tags = [], template, contextLength = 2048, head }: MarkovOptions): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const bytes = Array.from({ length: width }, (_, byte) => nameOf(byte));
  const types = [
    ...bytes.map(() => tokenTypes.normal),
    ...tags.map(({ isControl }) => (isControl ? tokenTypes.control : tokenTypes.userDefined)),
  ];
  const architecture = head === undefined ? 'llama' : 'glm4moe';
  const headKeys = {
    'glm4moe.nextn_predict_layers': u32(1),
    'glm4moe.leading_dense_block_count': u32(1),
    'glm4moe.expert_count': u32(headExperts),
    'glm4moe.expert_used_count': u32(1),
    'glm4moe.expert_shared_count': u32(1),
    'glm4moe.expert_feed_forward_length': u32(headInner),
  };
  return {
    'general.architecture': { type: 'string', value: architecture },
    'general.name': { type: 'string', value: 'markov' },
    'general.file_type': u32(0),
    [`${architecture}.block_count`]: u32(head === undefined ? 1 : 2),
    ...(head === undefined ? {} : headKeys),
    [`${architecture}.context_length`]: u32(contextLength),
    [`${architecture}.embedding_length`]: u32(width),
    [`${architecture}.feed_forward_length`]: u32(width),
    [`${architecture}.attention.head_count`]: u32(heads),
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { type: 'f32', value: epsilon },
    [`${architecture}.rope.dimension_count`]: u32(width / heads),
    [`${architecture}.vocab_size`]: u32(types.length),
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: [...bytes, ...tags.map(({ text }) => text)] },
    'tokenizer.ggml.token_type': { type: 'i32s', value: types },
    // A tokenizer needs one. It has no effect: its result is no token.
    'tokenizer.ggml.merges': { type: 'strings', value: ['t h'] },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    ...(tags.length === 0 ? {} : { 'tokenizer.ggml.eos_token_id': u32(types.length - 1) }),
    ...(template === undefined ? {} : { 'tokenizer.chat_template': { type: 'string', value: template } }),
  };
}

/** How byte-level vocabularies write a byte: as a printable character. The others are numbered from 256 on. */
function nameOf(byte: number): string {
  if (byte <= 0x20) return String.fromCodePoint(0x100 + byte);
  if (byte >= 0x7f && byte <= 0xa0) return String.fromCodePoint(0x121 + byte - 0x7f);
  return String.fromCodePoint(byte === 0xad ? 0x143 : byte);
}
