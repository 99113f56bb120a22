// Gemma 1, 2 and 3. Of a Gemma 3 with image encoder, the text model is converted.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon } from '../config/describe-decoder.ts';
import { type Hyperparameters, ropeNumber } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { TensorPiece } from '../tensors/output-tensor.ts';
import { type SourceTensor, sliceRows } from '../tensors/source-tensors.ts';
import { decoderNames, gemmaNames } from '../tensors/tensor-names.ts';
import { writeGemmaTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';

export const gemma: Family = {
  models: ['GemmaForCausalLM'],
  architecture: 'gemma',
  defaults: () => ({ max_position_embeddings: 8192, num_key_value_heads: 16, head_dim: 256, rms_norm_eps: 1e-6 }),
  names: decoderNames,
  // llama.cpp uses the embeddings as output matrix.
  rename: (name) => (name === 'lm_head.weight' ? undefined : name),
  change: shiftNorm,
  describe: ({ parameters }, metadata) => describeGemma(parameters, metadata),
  writeTokenizer: (checkpoint, metadata) => writeGemmaTokenizer(checkpoint, metadata, { infill: true }),
};

export const gemma2: Family = {
  ...gemma,
  models: ['Gemma2ForCausalLM'],
  architecture: 'gemma2',
  defaults: () => ({
    max_position_embeddings: 8192,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    rms_norm_eps: 1e-6,
    attn_logit_softcapping: 50,
    final_logit_softcapping: 30,
    sliding_window: 4096,
  }),
  names: gemmaNames,
  describe({ parameters }, metadata) {
    describeGemma(parameters, metadata);
    metadata.f32('attn_logit_softcapping', parameters.number('attn_logit_softcapping'));
    metadata.f32('final_logit_softcapping', parameters.number('final_logit_softcapping'));
    metadata.u32('attention.sliding_window', parameters.integer('sliding_window'));
  },
  writeTokenizer: writeGemmaTokenizer,
};

export const gemma3: Family = {
  models: ['Gemma3ForCausalLM', 'Gemma3ForConditionalGeneration'],
  architecture: 'gemma3',
  defaults: () => ({
    vocab_size: 262_208,
    max_position_embeddings: 131_072,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    rope_theta: 1_000_000,
    rope_local_base_freq: 10_000,
    rms_norm_eps: 1e-6,
    sliding_window: 4096,
  }),
  names: gemmaNames,
  change: (source, name, { parameters }) =>
    name === 'model.embed_tokens.weight' ? { source: trimRows(source, parameters) } : shiftNorm(source, name),
  describe: describeGemma3,
  writeTokenizer: writeGemmaTokenizer,
};

/** Gemma multiplies by one more than the weight of a norm. */
function shiftNorm(source: SourceTensor, name: string): TensorPiece {
  return name.endsWith('norm.weight') ? { source, values: 'addOne' } : { source };
}

/** The embeddings can have rows beyond the vocabulary. */
export function trimRows(source: SourceTensor, { requiredInteger }: Hyperparameters): SourceTensor {
  return sliceRows(source, 0, Math.min(source.shape[0] ?? 0, requiredInteger('vocab_size')));
}

function describeGemma({ integer, number, layers, requiredInteger }: Hyperparameters, metadata: Metadata): void {
  const heads = requiredInteger('num_attention_heads');
  metadata.u32('context_length', integer('max_position_embeddings'));
  metadata.u32('embedding_length', requiredInteger('hidden_size'));
  metadata.u32('block_count', layers);
  metadata.u32('feed_forward_length', requiredInteger('intermediate_size'));
  metadata.u32('attention.head_count', heads);
  metadata.u32('attention.head_count_kv', integer('num_key_value_heads') ?? heads);
  metadata.f32('attention.layer_norm_rms_epsilon', number('rms_norm_eps'));
  metadata.u32('attention.key_length', integer('head_dim'));
  metadata.u32('attention.value_length', integer('head_dim'));
}

export function describeGemma3(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  if (parameters.find('attn_logit_softcapping') !== undefined)
    throw unusable('attn_logit_softcapping is not supported for Gemma 3');
  describeCommon(checkpoint, metadata);
  metadata.f32('rope.freq_base', ropeNumber(parameters.rope, 'rope_theta') ?? 1_000_000);
  metadata.f32('final_logit_softcapping', parameters.number('final_logit_softcapping'));
  if (parameters.find('sliding_window_pattern') !== 1)
    metadata.u32('attention.sliding_window', parameters.integer('sliding_window'));
}
