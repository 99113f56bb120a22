// Hyperparameters that most families have, as metadata. Order and conditions are those of llama.cpp's converter.

import { unusable } from '../files/checkpoint-error.ts';
import { isUint32 } from '../files/json-object.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type Hyperparameters, ropeNumber } from './hyperparameters.ts';
import type { Metadata } from './metadata.ts';

export const expertCountKeys = ['num_local_experts', 'num_experts', 'n_routed_experts'] as const;

export function describeCommon({ parameters }: Checkpoint, metadata: Metadata): void {
  const { integer, number } = parameters;
  metadata.u32('block_count', parameters.layers);
  metadata.u32('context_length', integer('max_position_embeddings', 'n_ctx', 'n_positions'));
  metadata.u32('embedding_length', integer('hidden_size', 'n_embd', 'dim'));
  metadata.u32('feed_forward_length', integer('dense_intermediate_size', 'intermediate_size', 'n_inner', 'hidden_dim'));
  metadata.u32('attention.head_count', integer('num_attention_heads', 'n_head', 'n_heads'));
  metadata.u32('attention.head_count_kv', integer('num_key_value_heads', 'n_kv_heads'));
  if (parameters.find('is_causal') === false) metadata.bool('attention.causal', false);
  describeRopeScaling(parameters, metadata);
  const sections = ropeSections(parameters);
  if (sections !== undefined) metadata.i32s('rope.dimension_sections', sections);
  metadata.f32('rope.freq_base', ropeNumber(parameters.rope, 'rope_theta'));
  metadata.f32('rope.freq_base_swa', parameters.rope.slidingTheta);
  metadata.f32('attention.layer_norm_rms_epsilon', number('rms_norm_eps', 'norm_eps'));
  metadata.f32('attention.layer_norm_epsilon', number('layer_norm_eps', 'layer_norm_epsilon', 'norm_epsilon'));
  metadata.u32('expert_count', integer(...expertCountKeys));
  metadata.u32('expert_used_count', integer('num_experts_per_tok', 'num_experts_per_token', 'top_k_experts'));
  metadata.u32('expert_group_count', integer('n_group'));
  metadata.u32('expert_group_used_count', integer('topk_group'));
  metadata.u32('expert_gating_func', gatingOf(parameters));
  metadata.u32('attention.key_length', integer('head_dim'));
  metadata.u32('attention.value_length', integer('head_dim'));
}

export const gatingFunctions = { softmax: 1, sigmoid: 2 } as const;

/** How a mixture of experts turns the scores of experts into weights. */
function gatingOf({ find }: Hyperparameters): number | undefined {
  const name = find('score_function', 'scoring_func', 'score_func');
  if (name === undefined) return undefined;
  if (name === 'softmax' || name === 'sigmoid') return gatingFunctions[name];
  throw unusable(`the gating function ${JSON.stringify(name)} of its experts is not known`);
}

/** Sections of the dimensions for time, height and width, for models that also read images. */
function ropeSections({ rope }: Hyperparameters): number[] | undefined {
  const sections = rope.full['mrope_section'];
  if (sections === undefined || sections === null) return undefined;
  if (!Array.isArray(sections) || sections.length > 4 || !sections.every(isUint32))
    throw unusable('mrope_section in config.json is not a list of up to four unsigned integers');
  return [...sections, 0, 0, 0].slice(0, 4);
}

function describeRopeScaling({ rope }: Hyperparameters, metadata: Metadata): void {
  const type = rope.full['rope_type'];
  const factor = ropeNumber(rope, 'factor');
  if (type === 'linear' && factor !== undefined) {
    metadata.string('rope.scaling.type', 'linear');
    metadata.f32('rope.scaling.factor', factor);
  } else if (type === 'yarn' && factor !== undefined) {
    const original = ropeNumber(rope, 'original_max_position_embeddings');
    if (original === undefined) throw unusable('config.json has no original_max_position_embeddings for yarn');
    metadata.string('rope.scaling.type', 'yarn');
    metadata.f32('rope.scaling.factor', factor);
    metadata.u32('rope.scaling.original_context_length', original);
    metadata.f32('rope.scaling.yarn_ext_factor', ropeNumber(rope, 'extrapolation_factor'));
    metadata.f32(
      'rope.scaling.yarn_attn_factor',
      ropeNumber(rope, 'attention_factor') ?? ropeNumber(rope, 'attn_factor'),
    );
    metadata.f32('rope.scaling.yarn_beta_fast', ropeNumber(rope, 'beta_fast'));
    metadata.f32('rope.scaling.yarn_beta_slow', ropeNumber(rope, 'beta_slow'));
  } else if (type === 'longrope' || type === 'su') {
    metadata.string('rope.scaling.type', 'longrope');
  }
}

/** Values of one attention head. */
export function headSize({ integer, requiredInteger }: Hyperparameters): number {
  return (
    integer('head_dim') ??
    Math.floor(requiredInteger('hidden_size') / Math.max(1, requiredInteger('num_attention_heads')))
  );
}
