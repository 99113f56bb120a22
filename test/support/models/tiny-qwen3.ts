// A reranker like Qwen3's with random weights: a decoder of two layers that is asked for "yes" or "no" by a template.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { randomNumbers } from './random-numbers.ts';
import { toTensor } from './tiny-bert.ts';
import { writeGguf } from './write-gguf.ts';

const width = 32;
const heads = 4;
const kvHeads = 2;
const headWidth = 16;
const inner = 64;
const layers = 2;
export const qwenContext = 512;

export const qwenRankTemplate =
  '<|im_start|>system\nAnswer "yes" or "no".<|im_end|>\n' +
  '<|im_start|>user\n<Instruct>: Find what answers the query\n<Query>: {query}\n<Document>: {document}<|im_end|>\n' +
  '<|im_start|>assistant\n<think>\n\n</think>\n\n';

const specials = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
// Tokens that span the end of a part of the template and the start of a text.
const merges = ['t h', 'th e', 'Ġ the', 'Ġ c', 'Ġc a', 'Ġca t', 'a t'];
const vocabulary = [...bytes(), ...merges.map((merge) => merge.replace(' ', '')), '<think>', '</think>', ...specials];

/** The characters that stand for the 256 bytes in byte-level vocabularies. */
function bytes(): string[] {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printed = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(printed ? byte : 256 + others++);
  });
}

export function writeQwenReranker(path: string, seed: number): void {
  const next = randomNumbers(seed);
  const random = (name: string, ...shape: readonly number[]) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const middle = name.includes('norm') ? 1 : 0;
    return toTensor(
      name,
      shape,
      Float32Array.from({ length: count }, () => middle + 0.3 * (2 * next() - 1)),
    );
  };
  const block = (layer: number) => {
    const name = (part: string): string => `blk.${layer}.${part}.weight`;
    return [
      random(name('attn_norm'), width),
      random(name('attn_q'), width, heads * headWidth),
      random(name('attn_k'), width, kvHeads * headWidth),
      random(name('attn_v'), width, kvHeads * headWidth),
      random(name('attn_q_norm'), headWidth),
      random(name('attn_k_norm'), headWidth),
      random(name('attn_output'), heads * headWidth, width),
      random(name('ffn_norm'), width),
      random(name('ffn_gate'), width, inner),
      random(name('ffn_up'), width, inner),
      random(name('ffn_down'), inner, width),
    ];
  };
  writeGguf(path, metadata(), [
    random('token_embd.weight', width, vocabulary.length),
    random('output_norm.weight', width),
    random('cls.output.weight', width, 2),
    ...Array.from({ length: layers }, (_, layer) => block(layer)).flat(),
  ]);
}

function metadata(): Record<string, GgufEntry> {
  const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
  const f32 = (value: number): GgufEntry => ({ type: 'f32', value });
  const text = (value: string): GgufEntry => ({ type: 'string', value });
  const [normal, control, userDefined] = [1, 3, 4] as const;
  const typeOf = (token: string): number => {
    if (specials.includes(token)) return control;
    return token.endsWith('think>') ? userDefined : normal;
  };
  return {
    'general.architecture': text('qwen3'),
    'general.name': text('tiny-qwen3-reranker'),
    'general.file_type': u32(0),
    'qwen3.block_count': u32(layers),
    'qwen3.context_length': u32(qwenContext),
    'qwen3.embedding_length': u32(width),
    'qwen3.feed_forward_length': u32(inner),
    'qwen3.attention.head_count': u32(heads),
    'qwen3.attention.head_count_kv': u32(kvHeads),
    'qwen3.attention.key_length': u32(headWidth),
    'qwen3.attention.value_length': u32(headWidth),
    'qwen3.attention.layer_norm_rms_epsilon': f32(1e-6),
    'qwen3.rope.freq_base': f32(10_000),
    'qwen3.pooling_type': u32(4),
    'qwen3.classifier.output_labels': { type: 'strings', value: ['yes', 'no'] },
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('qwen2'),
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary },
    'tokenizer.ggml.token_type': { type: 'i32s', value: vocabulary.map(typeOf) },
    'tokenizer.ggml.merges': { type: 'strings', value: merges },
    'tokenizer.ggml.eos_token_id': u32(vocabulary.indexOf('<|im_end|>')),
    'tokenizer.ggml.padding_token_id': u32(vocabulary.indexOf('<|endoftext|>')),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template.rerank': text(qwenRankTemplate),
  };
}
