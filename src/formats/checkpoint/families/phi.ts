// Phi 3, 3.5 and 4.

import { type Hyperparameters, ropeNumber } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { OutputTensor } from '../tensors/output-tensor.ts';
import { phiNames } from '../tensors/tensor-names.ts';
import { writePhiTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';

export const phi3: Family = {
  models: ['Phi3ForCausalLM'],
  architecture: 'phi3',
  defaults: (config) => ({
    max_position_embeddings: 4096,
    original_max_position_embeddings: 4096,
    num_key_value_heads: config['num_attention_heads'],
    rope_theta: 10_000,
    rms_norm_eps: 1e-5,
    partial_rotary_factor: 1,
  }),
  names: phiNames,
  extraTensors: ({ parameters }) => longRopeFactors(parameters),
  describe: ({ parameters }, metadata) => describePhi(parameters, metadata),
  writeTokenizer: writePhiTokenizer,
};

function describePhi(parameters: Hyperparameters, metadata: Metadata): void {
  const { integer, requiredInteger, number, layers, rope } = parameters;
  metadata.f32('rope.scaling.attn_factor', attentionFactor(parameters));
  metadata.u32('context_length', contextLength(parameters));
  metadata.u32('rope.scaling.original_context_length', originalLength(parameters));
  metadata.u32('embedding_length', requiredInteger('hidden_size'));
  metadata.u32('feed_forward_length', requiredInteger('intermediate_size'));
  metadata.u32('block_count', layers);
  metadata.u32('attention.head_count', requiredInteger('num_attention_heads'));
  metadata.u32('attention.head_count_kv', requiredInteger('num_key_value_heads'));
  metadata.f32('attention.layer_norm_rms_epsilon', number('rms_norm_eps'));
  metadata.u32('rope.dimension_count', ropeDimensions(parameters));
  metadata.f32('rope.freq_base', ropeNumber(rope, 'rope_theta'));
  // Zero: no window. llama.cpp recognizes Phi 4 by it.
  metadata.u32('attention.sliding_window', integer('sliding_window') ?? 0);
}

function contextLength({ requiredInteger }: Hyperparameters): number {
  return requiredInteger('max_position_embeddings');
}

function originalLength({ rope }: Hyperparameters): number {
  const length = ropeNumber(rope, 'original_max_position_embeddings');
  if (length === undefined || length < 2) throw unusable('config.json has no original_max_position_embeddings');
  return length;
}

function ropeDimensions({ requiredInteger, rope }: Hyperparameters): number {
  const part = ropeNumber(rope, 'partial_rotary_factor') ?? 1;
  return Math.floor(
    Math.trunc(part * requiredInteger('hidden_size')) / Math.max(1, requiredInteger('num_attention_heads')),
  );
}

/** Models for long contexts have factors for each frequency. */
function longFactors({ rope }: Hyperparameters): { long: number[]; short: number[] } | undefined {
  const { long_factor: long, short_factor: short, rope_type: type } = rope.full;
  if (!Array.isArray(long) || long.length === 0) return undefined;
  // transformers treats all of these names as longrope.
  if (type !== 'longrope' && type !== 'su' && type !== 'yarn')
    throw unusable(`the rope scaling type ${JSON.stringify(type)} is not known`);
  if (!isNumbers(long) || !isNumbers(short))
    throw unusable('long_factor or short_factor in config.json is not a list of numbers');
  return { long, short };
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}

function attentionFactor(parameters: Hyperparameters): number | undefined {
  if (longFactors(parameters) === undefined) return undefined;
  const original = originalLength(parameters);
  const scale = contextLength(parameters) / original;
  return scale > 1 ? Math.sqrt(1 + Math.log(scale) / Math.log(original)) : 1;
}

function longRopeFactors(parameters: Hyperparameters): OutputTensor[] {
  const factors = longFactors(parameters);
  if (factors === undefined) return [];
  return (['long', 'short'] as const).map((kind) => {
    const data = Float32Array.from(factors[kind]);
    if (data.length !== ropeDimensions(parameters) / 2)
      throw unusable(`${kind}_factor in config.json has ${data.length} values, not ${ropeDimensions(parameters) / 2}`);
    return { name: `rope_factors_${kind}.weight`, shape: [data.length], type: 'F32', data };
  });
}
