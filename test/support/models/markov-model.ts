// A model of the llama architecture whose next token depends on the last one alone, with logits from a table: its
// layers add nothing. Kernels that round differently give it the same logits but for the last bits, so that sampled texts
// can be compared.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { type TensorSource, writeGguf } from './write-gguf.ts';

/** The logit of a byte after another one. */
export type Transition = (from: number, to: number) => number;

// One dimension for each byte.
const width = 256;
const heads = 4;
const epsilon = 1e-5;

export function writeMarkovModel(path: string, transition: Transition): void {
  // The norm before the output turns the embedding of a byte, a one in its dimension, into this number.
  const normalized = 1 / Math.sqrt(1 / width + epsilon);
  const square = (name: string, valueAt: (row: number, column: number) => number): TensorSource => ({
    name,
    shape: [width, width],
    type: 'F32',
    fill: (buffer) => {
      for (let index = 0; index < width * width; index++)
        buffer.writeFloatLE(valueAt(Math.floor(index / width), index % width), 4 * index);
    },
  });
  const identity = (row: number, column: number): number => (row === column ? 1 : 0);
  const norm = (name: string): TensorSource => ({ name, shape: [width], type: 'F32', fill: fillOnes });
  writeGguf(path, metadata(), [
    square('token_embd.weight', identity),
    square('output.weight', (to, from) => transition(from, to) / normalized),
    norm('output_norm.weight'),
    norm('blk.0.attn_norm.weight'),
    norm('blk.0.ffn_norm.weight'),
    ...['attn_q', 'attn_k', 'attn_v', 'ffn_gate', 'ffn_up'].map((name) => square(`blk.0.${name}.weight`, identity)),
    ...['attn_output', 'ffn_down'].map((name) => square(`blk.0.${name}.weight`, () => 0)),
  ]);
}

function fillOnes(buffer: Buffer): void {
  for (let offset = 0; offset < buffer.length; offset += 4) buffer.writeFloatLE(1, offset);
}

function metadata(): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.name': { type: 'string', value: 'markov' },
    'general.file_type': u32(0),
    'llama.block_count': u32(1),
    'llama.context_length': u32(2048),
    'llama.embedding_length': u32(width),
    'llama.feed_forward_length': u32(width),
    'llama.attention.head_count': u32(heads),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: epsilon },
    'llama.rope.dimension_count': u32(width / heads),
    'llama.vocab_size': u32(width),
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: Array.from({ length: width }, (_, byte) => nameOf(byte)) },
    'tokenizer.ggml.token_type': { type: 'i32s', value: new Array<number>(width).fill(1) },
    // A tokenizer needs one. It has no effect: its result is no token.
    'tokenizer.ggml.merges': { type: 'strings', value: ['t h'] },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
  };
}

/** How byte-level vocabularies write a byte: as a printable character. */
function nameOf(byte: number): string {
  const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  return String.fromCodePoint(isPrintable ? byte : 0x100 + byte);
}
