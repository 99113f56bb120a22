// A BERT of two layers with random weights and a vocabulary for the tests, also with a rank head: small enough for the
// slow reference implementation (bert-reference.ts).

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { randomNumbers } from './random-numbers.ts';
import { type TensorSource, writeGguf } from './write-gguf.ts';

export const bertShape = { width: 32, heads: 4, layers: 2, inner: 64, context: 64, epsilon: 1e-12 } as const;
export const bertPoolings = { mean: 1, cls: 2, rank: 4 } as const;

/** In row-major order, as in the file. */
export type BertWeights = ReadonlyMap<string, Float32Array>;

const specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;
const words = 'the a cat dog bird sits runs sings on under mat tree house red green small and then . ,'.split(' ');
const endings = ['s', 'ly', 'er'];
// In the file, tokens that start a word have this prefix; continuations have none.
const wordStart = '\u2581';
const vocabulary = [...specials, ...words.map((word) => `${wordStart}${word}`), ...endings];

export const bertWords: readonly string[] = words;

/** The tokens of a text of known words, with BERT's special tokens. */
export function bertTokens(text: string): number[] {
  const inner = text.split(' ').filter((word) => word !== '');
  return [specials.indexOf('[CLS]'), ...inner.map(tokenOf), specials.indexOf('[SEP]')];
}

/** The tokens of a query and a document. */
export function bertPairTokens(query: string, document: string): number[] {
  return [...bertTokens(query), ...bertTokens(document).slice(1)];
}

function tokenOf(word: string): number {
  const index = vocabulary.indexOf(`${wordStart}${word}`);
  return index === -1 ? specials.indexOf('[UNK]') : index;
}

export function randomBertWeights(seed: number): BertWeights {
  const next = randomNumbers(seed);
  const values = (count: number, middle: number, spread: number): Float32Array =>
    Float32Array.from({ length: count }, () => middle + spread * (2 * next() - 1));
  return new Map(
    [...tensorShapes()].map(([name, shape]) => {
      const count = shape.reduce((product, size) => product * size, 1);
      const isScale = name.includes('norm') && name.endsWith('weight');
      return [name, isScale ? values(count, 1, 0.2) : values(count, 0, 0.4)] as const;
    }),
  );
}

/** In GGUF order: the row size comes first. */
function tensorShapes(): Map<string, readonly number[]> {
  const { width, inner, layers, context } = bertShape;
  const linear = (name: string, from: number, to: number) =>
    [
      [`${name}.weight`, [from, to]],
      [`${name}.bias`, [to]],
    ] as const;
  const norm = (name: string) =>
    [
      [`${name}.weight`, [width]],
      [`${name}.bias`, [width]],
    ] as const;
  const shapes = new Map<string, readonly number[]>([
    ['token_embd.weight', [width, vocabulary.length]],
    ['position_embd.weight', [width, context]],
    ['token_types.weight', [width, 2]],
    ...norm('token_embd_norm'),
  ]);
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    const tensors = [
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].flatMap((name) => linear(`${block}.${name}`, width, width)),
      ...norm(`${block}.attn_output_norm`),
      ...linear(`${block}.ffn_up`, width, inner),
      ...linear(`${block}.ffn_down`, inner, width),
      ...norm(`${block}.layer_output_norm`),
    ];
    for (const [name, shape] of tensors) shapes.set(name, shape);
  }
  for (const [name, shape] of [...linear('cls', width, width), ...linear('cls.output', width, 1)])
    shapes.set(name, shape);
  return shapes;
}

export function writeBert(path: string, weights: BertWeights, pooling: keyof typeof bertPoolings): void {
  const shapes = tensorShapes();
  writeGguf(
    path,
    metadata(bertPoolings[pooling]),
    [...weights]
      .filter(([name]) => pooling === 'rank' || !name.startsWith('cls.'))
      .map(([name, values]) => toTensor(name, shapes.get(name) ?? [], values)),
  );
}

export function toTensor(name: string, shape: readonly number[], values: Float32Array): TensorSource {
  const bytes = Buffer.from(values.buffer);
  let written = 0;
  return {
    name,
    shape,
    type: 'F32',
    fill(buffer) {
      written += bytes.copy(buffer, 0, written);
    },
  };
}

function metadata(pooling: number): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const text = (value: string): GgufEntry => ({ type: 'string', value });
  const id = (special: (typeof specials)[number]): GgufEntry => u32(specials.indexOf(special));
  const [normal, unknown, control] = [1, 2, 3] as const;
  const typeOf = (token: string): number => {
    if (token === '[UNK]') return unknown;
    return (specials as readonly string[]).includes(token) ? control : normal;
  };
  return {
    'general.architecture': text('bert'),
    'general.name': text('tiny-bert'),
    'general.file_type': u32(0),
    'bert.block_count': u32(bertShape.layers),
    'bert.context_length': u32(bertShape.context),
    'bert.embedding_length': u32(bertShape.width),
    'bert.feed_forward_length': u32(bertShape.inner),
    'bert.attention.head_count': u32(bertShape.heads),
    'bert.attention.layer_norm_epsilon': { type: 'f32', value: bertShape.epsilon },
    'bert.attention.causal': { type: 'bool', value: false },
    'bert.pooling_type': u32(pooling),
    'tokenizer.ggml.model': text('bert'),
    'tokenizer.ggml.pre': text('default'),
    'tokenizer.ggml.token_type_count': u32(2),
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary },
    'tokenizer.ggml.token_type': { type: 'i32s', value: vocabulary.map(typeOf) },
    'tokenizer.ggml.bos_token_id': id('[CLS]'),
    'tokenizer.ggml.cls_token_id': id('[CLS]'),
    'tokenizer.ggml.seperator_token_id': id('[SEP]'),
    'tokenizer.ggml.unknown_token_id': id('[UNK]'),
    'tokenizer.ggml.padding_token_id': id('[PAD]'),
    'tokenizer.ggml.mask_token_id': id('[MASK]'),
  };
}
