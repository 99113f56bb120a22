// Generates llama-architecture models with half a billion random parameters in Q4_K_M: large enough to show the steady
// state of an engine, small enough to generate in half a minute. Their speed is that of a real model. The output of one is
// random. The other one counts: the token with the next number follows every token, so that a benchmark knows its answer.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GgufEntry } from '../src/formats/gguf/encode-entry.ts';
import { quantizeDirectly } from '../test/support/models/ember-f16.ts';
import { type TensorSource, writeGguf } from '../test/support/models/write-gguf.ts';

const width = 1280;
const inner = 3584;
const modelLayers = 24;
const heads = 20;
const kvHeads = 5;
const headWidth = width / heads;
const vocabulary = 32_000;
const q4KM = 15;

export function randomModel(folder: string): string {
  return writeModel(folder, { name: 'random', contextLength: 4096, tensors: tensors(randomWeights()) });
}

export function countingModel(folder: string): string {
  return writeModel(folder, { name: 'counting', contextLength: 32_768, tensors: countingTensors() });
}

/** The counting model with one layer: a draft model that is always right. */
export function smallCountingModel(folder: string): string {
  const plan = { name: 'counting-small', contextLength: 32_768, layers: 1 };
  return writeModel(folder, { ...plan, tensors: countingTensors(1) });
}

/** One layer with random weights: a draft model that is always wrong. */
export function smallRandomModel(folder: string): string {
  const plan = { name: 'random-small', contextLength: 32_768, layers: 1 };
  return writeModel(folder, { ...plan, tensors: tensors(randomWeights(), 1) });
}

interface ModelPlan {
  readonly name: string;
  readonly contextLength: number;
  /** 24 if it is not given. */
  readonly layers?: number;
  readonly tensors: readonly TensorSource[];
}

/** Returns the path of the model. Generates it if it does not exist. */
function writeModel(
  folder: string,
  { name, contextLength, layers = modelLayers, tensors: sources }: ModelPlan,
): string {
  const path = join(folder, `${name}${layers === modelLayers ? '-500m' : ''}-q4_k_m.gguf`);
  if (existsSync(path)) return path;
  console.error(`Writing a ${name} model …`);
  mkdirSync(folder, { recursive: true });
  const unquantized = `${path}.f16`;
  const unfinished = `${path}.part`;
  writeGguf(unquantized, metadata(name, contextLength, layers), sources);
  quantizeDirectly(unquantized, unfinished, q4KM);
  rmSync(unquantized);
  renameSync(unfinished, path);
  return path;
}

// Bytes first, as in byte-level tokenizers, then filler tokens. No token ends a text.
function tokens(): string[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCodePoint(printable ? byte : 0x100 + byte);
  });
  return [...new Set([...bytes, ...Array.from({ length: vocabulary }, (_, index) => `t${index}`)])].slice(
    0,
    vocabulary,
  );
}

function metadata(name: string, contextLength: number, layers: number): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.name': { type: 'string', value: name },
    'general.file_type': u32(1),
    'llama.block_count': u32(layers),
    'llama.context_length': u32(contextLength),
    'llama.embedding_length': u32(width),
    'llama.feed_forward_length': u32(inner),
    'llama.attention.head_count': u32(heads),
    'llama.attention.head_count_kv': u32(kvHeads),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-5 },
    'llama.rope.dimension_count': u32(headWidth),
    'llama.vocab_size': u32(vocabulary),
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens() },
    'tokenizer.ggml.token_type': { type: 'i32s', value: new Array<number>(vocabulary).fill(1) },
    'tokenizer.ggml.merges': { type: 'strings', value: ['t h'] },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
  };
}

type Fill = TensorSource['fill'];

// Without the output of its layers, the state of a token is its embedding. The row of the next token in the output is the
// same vector.
function countingTensors(layers = modelLayers): TensorSource[] {
  const zeros = /attn_output|ffn_down/;
  const fills: Readonly<Record<string, Fill>> = {
    'token_embd.weight': numberedWeights(0),
    'output.weight': numberedWeights(-width),
  };
  return tensors(randomWeights(), layers).map((tensor) => ({
    ...tensor,
    fill: fills[tensor.name] ?? (zeros.test(tensor.name) ? () => {} : tensor.fill),
  }));
}

function tensors(random: Fill, layers = modelLayers): TensorSource[] {
  const matrix = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'F16', fill: random });
  const norm = (name: string): TensorSource => ({ name, shape: [width], type: 'F32', fill: ones });
  const list = [
    norm('output_norm.weight'),
    matrix('token_embd.weight', width, vocabulary),
    matrix('output.weight', width, vocabulary),
  ];
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    list.push(
      norm(`${block}.attn_norm.weight`),
      matrix(`${block}.attn_q.weight`, width, width),
      matrix(`${block}.attn_k.weight`, width, kvHeads * headWidth),
      matrix(`${block}.attn_v.weight`, width, kvHeads * headWidth),
      matrix(`${block}.attn_output.weight`, width, width),
      norm(`${block}.ffn_norm.weight`),
      matrix(`${block}.ffn_gate.weight`, width, inner),
      matrix(`${block}.ffn_up.weight`, width, inner),
      matrix(`${block}.ffn_down.weight`, inner, width),
    );
  }
  return list;
}

export function ones(buffer: Buffer): void {
  for (let offset = 0; offset < buffer.length; offset += 4) buffer.writeFloatLE(1, offset);
}

/** Fills buffers with half floats around zero. Each is a function of its number, from `start` on. */
function numberedWeights(start: number): Fill {
  let number = start;
  return (buffer) => {
    for (let offset = 0; offset < buffer.length; offset += 2) {
      const hash = Math.imul(number ^ (number >>> 15), 0x2c1b_3c6d);
      const mixed = Math.imul(hash ^ (hash >>> 12), 0x297a_2d39);
      buffer.writeUInt16LE(toHalf(mixed ^ (mixed >>> 15)), offset);
      number++;
    }
  };
}

/** A half float of a few hundredths from random bits: a sign, an exponent of 2^-6 to 2^-9, a fraction. */
function toHalf(bits: number): number {
  return (bits & 0x8000) | ((6 + ((bits >>> 16) & 3)) << 10) | (bits & 0x3ff);
}

/** Fills buffers with half floats around zero, from changing offsets of a pool. */
export function randomWeights(): Fill {
  let state = 12_345;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const pool = Buffer.alloc(2 ** 21);
  for (let offset = 0; offset < pool.length; offset += 2) {
    pool.writeUInt16LE(toHalf(next() * 2 ** 32), offset);
  }
  return (buffer) => {
    for (let filled = 0; filled < buffer.length; ) {
      const start = 2 * Math.floor(next() * 1000);
      filled += pool.copy(buffer, filled, start);
    }
  };
}
