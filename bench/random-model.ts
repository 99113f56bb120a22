// Generates llama-architecture models with random parameters in Q4_K_M. Their speed is that of a real model. Half a
// billion parameters are enough to show the steady state of an engine on a CPU, and few enough to generate in half a
// minute. For GPUs there is a model of the shape of an 8B model. The output of a random model is random. The counting
// one counts: the token with the next number follows every token, so that a benchmark knows its answer.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GgufEntry } from '../src/formats/gguf/encode-entry.ts';
import { quantizeDirectly } from '../test/support/models/ember-f16.ts';
import { type TensorSource, writeGguf } from '../test/support/models/write-gguf.ts';

interface Shape {
  readonly width: number;
  readonly inner: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly vocabulary: number;
}

export const half: Shape = { width: 1280, inner: 3584, layers: 24, heads: 20, kvHeads: 5, vocabulary: 32_000 };
const oneLayer: Shape = { ...half, layers: 1 };
const tiny: Shape = { width: 256, inner: 512, layers: 2, heads: 4, kvHeads: 1, vocabulary: 4096 };
const billion: Shape = { width: 2048, inner: 5632, layers: 22, heads: 32, kvHeads: 4, vocabulary: 32_000 };
const large: Shape = { width: 4096, inner: 14_336, layers: 32, heads: 32, kvHeads: 8, vocabulary: 128_256 };
const wide: Shape = { width: 1024, inner: 2816, layers: 12, heads: 16, kvHeads: 4, vocabulary: 128_000 };
const q4KM = 15;

export function randomModel(folder: string): string {
  return writeModel(folder, { name: 'random-500m', contextLength: 4096, shape: half, tensors: tensors(half) });
}

/** A large vocabulary for the size of the model. */
export function wideModel(folder: string): string {
  return writeModel(folder, { name: 'random-128k', contextLength: 4096, shape: wide, tensors: withoutBytes(wide) });
}

/** llama-server refuses answers that are not UTF-8. */
export function billionModel(folder: string): string {
  const list = withoutBytes(billion);
  return writeModel(folder, { name: 'random-1b', contextLength: 4096, shape: billion, tensors: list });
}

/** Takes 16 GB of disk for a moment, and some minutes. Without bytes too: text that is held back looks like a gap. */
export function largeRandomModel(folder: string): string {
  const list = withoutBytes(large);
  return writeModel(folder, { name: 'random-8b', contextLength: 32_768, shape: large, tensors: list });
}

/** The first tokens, which are bytes, are never chosen. */
function withoutBytes(shape: Shape): TensorSource[] {
  const zeros = Buffer.alloc(2 * 256 * shape.width);
  return tensors(shape).map((tensor) =>
    tensor.name === 'output.weight' ? { ...tensor, fill: beginningWith(zeros, tensor.fill) } : tensor,
  );
}

/** The tokens of the counting model that texts can have: `t1000` to `t4999`. The tokenizer finds no other fillers. */
const words = { from: 1000, to: 5000 };

export function countingModel(folder: string): string {
  const plan = { name: 'counting-words-500m', contextLength: 32_768, shape: half, words };
  return writeModel(folder, { ...plan, tensors: countingTensors(half) });
}

/** The counting model with one layer: a draft model that is always right. */
export function smallCountingModel(folder: string): string {
  const plan = { name: 'counting-small', contextLength: 32_768, shape: oneLayer };
  return writeModel(folder, { ...plan, tensors: countingTensors(oneLayer) });
}

/** One layer with random weights: a draft model that is always wrong. */
export function smallRandomModel(folder: string): string {
  const plan = { name: 'random-small', contextLength: 32_768, shape: oneLayer };
  return writeModel(folder, { ...plan, tensors: tensors(oneLayer) });
}

/** Evaluates long prompts fast, for figures that are counts. */
export function tinyRandomModel(folder: string): string {
  const plan = { name: 'random-tiny', contextLength: 32_768, shape: tiny };
  return writeModel(folder, { ...plan, tensors: withoutBytes(tiny) });
}

interface ModelPlan {
  readonly name: string;
  readonly contextLength: number;
  readonly shape: Shape;
  readonly tensors: readonly TensorSource[];
  /** The numbers of fillers that texts can have. Absent: none. */
  readonly words?: { readonly from: number; readonly to: number };
  /** Absent: those of the llama architecture. */
  readonly keys?: Record<string, GgufEntry>;
}

/** Returns the path of the model. Generates it if it does not exist. */
export function writeModel(folder: string, plan: ModelPlan): string {
  const path = join(folder, `${plan.name}-q4_k_m.gguf`);
  if (existsSync(path)) return path;
  console.error(`Writing the model ${plan.name} …`);
  mkdirSync(folder, { recursive: true });
  const unquantized = `${path}.f16`;
  const unfinished = `${path}.part`;
  writeGguf(unquantized, plan.keys ?? metadata(plan), plan.tensors);
  quantizeDirectly(unquantized, unfinished, q4KM);
  rmSync(unquantized);
  renameSync(unfinished, path);
  return path;
}

const firstFiller = 256;
/** Token type: found in texts as it is. */
const userDefined = 4;

// Bytes first, as in byte-level tokenizers, then filler tokens. No token ends a text.
export function tokens(vocabulary: number): string[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCodePoint(printable ? byte : 0x100 + byte);
  });
  return [...new Set([...bytes, ...Array.from({ length: vocabulary }, (_, index) => `t${index}`)])].slice(
    0,
    vocabulary,
  );
}

export function metadata({ name, contextLength, shape, words: range }: ModelPlan): Record<string, GgufEntry> {
  const { width, inner, layers, heads, kvHeads, vocabulary } = shape;
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const types = new Array<number>(vocabulary).fill(1);
  if (range !== undefined) types.fill(userDefined, firstFiller + range.from, firstFiller + range.to);
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
    'llama.rope.dimension_count': u32(width / heads),
    'llama.vocab_size': u32(vocabulary),
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens(vocabulary) },
    'tokenizer.ggml.token_type': { type: 'i32s', value: types },
    'tokenizer.ggml.merges': { type: 'strings', value: ['t h'] },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
  };
}

type Fill = TensorSource['fill'];

// Without the output of its layers, the state of a token is its embedding. The row of the next token in the output is the
// same vector.
export function countingTensors(shape: Shape): TensorSource[] {
  const zeros = /attn_output|ffn_down/;
  const fills: Readonly<Record<string, Fill>> = {
    'token_embd.weight': numberedWeights(0),
    'output.weight': numberedWeights(-shape.width),
  };
  return tensors(shape).map((tensor) => ({
    ...tensor,
    fill: fills[tensor.name] ?? (zeros.test(tensor.name) ? () => {} : tensor.fill),
  }));
}

function tensors({ width, inner, layers, heads, kvHeads, vocabulary }: Shape): TensorSource[] {
  const random = randomWeights();
  const kvWidth = kvHeads * (width / heads);
  const matrix = (name: string, ...shape: number[]): TensorSource => ({ name, shape, type: 'F16', fill: random });
  const norm = (name: string): TensorSource => ({ name, shape: [width], type: 'F32', fill: ones });
  const list = [
    norm('output_norm.weight'),
    matrix('token_embd.weight', width, vocabulary),
    // Not from the pool, so that no row is there twice: real models have no equal logits, which take longer to sort.
    { ...matrix('output.weight', width, vocabulary), fill: numberedWeights(0) },
  ];
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    list.push(
      norm(`${block}.attn_norm.weight`),
      matrix(`${block}.attn_q.weight`, width, width),
      matrix(`${block}.attn_k.weight`, width, kvWidth),
      matrix(`${block}.attn_v.weight`, width, kvWidth),
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

/** Rows of an output: the row of a token is the embedding of another one in the counting model. */
export function countingWeights(width: number, embeddingOf: (token: number) => number): Fill {
  let row = 0;
  return (buffer) => {
    const bytes = 2 * width;
    for (let offset = 0; offset < buffer.length; offset += bytes, row++)
      numberedWeights(embeddingOf(row) * width)(buffer.subarray(offset, offset + bytes));
  };
}

/** A half float of a few hundredths from random bits: a sign, an exponent of 2^-6 to 2^-9, a fraction. */
function toHalf(bits: number): number {
  return (bits & 0x8000) | ((6 + ((bits >>> 16) & 3)) << 10) | (bits & 0x3ff);
}

/** The tensor begins with these bytes. It is filled in pieces. */
function beginningWith(start: Buffer, fill: Fill): Fill {
  let written = 0;
  return (buffer) => {
    fill(buffer);
    start.copy(buffer, 0, written);
    written = Math.min(start.length, written + buffer.length);
  };
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
