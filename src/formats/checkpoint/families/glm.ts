// GLM 4.5 and later: mixtures of experts with a layer that predicts one token more.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon, gatingFunctions, headSize } from '../config/describe-decoder.ts';
import { ropeNumber } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { writeGlmTokenizer } from '../tokenizer/llama-tokenizer.ts';
import { expertMatrices } from './expert-matrices.ts';
import type { Family } from './family.ts';
import { withoutCorrectionName } from './score-correction.ts';

export const glm4Moe: Family = {
  models: ['Glm4MoeForCausalLM'],
  architecture: 'glm4moe',
  defaults: () => ({
    max_position_embeddings: 131_072,
    num_key_value_heads: 8,
    rms_norm_eps: 1e-5,
    rope_theta: 10_000,
    partial_rotary_factor: 0.5,
    num_experts_per_tok: 8,
    n_shared_experts: 1,
    n_routed_experts: 128,
    routed_scaling_factor: 1,
    n_group: 1,
    topk_group: 1,
    first_k_dense_replace: 1,
    norm_topk_prob: true,
  }),
  names: extendNames(decoderNames, {
    post_attention_layernorm: 'post_attention_norm',
    'mlp.gate.e_score_correction': 'exp_probs_b',
    'mlp.shared_experts.gate_proj': 'ffn_gate_shexp',
    'mlp.shared_experts.up_proj': 'ffn_up_shexp',
    'mlp.shared_experts.down_proj': 'ffn_down_shexp',
    eh_proj: 'nextn.eh_proj',
    enorm: 'nextn.enorm',
    hnorm: 'nextn.hnorm',
    'shared_head.norm': 'nextn.shared_head_norm',
    'shared_head.head': 'nextn.shared_head_head',
    embed_tokens: 'nextn.embed_tokens',
  }),
  rename: withoutCorrectionName,
  experts: expertMatrices,
  describe: describeGlm,
  writeTokenizer: writeGlmTokenizer,
};

function describeGlm(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const { integer, find, number, layers } = parameters;
  describeCommon(checkpoint, metadata);
  const rotated = ropeNumber(parameters.rope, 'partial_rotary_factor') ?? 0.5;
  metadata.u32('rope.dimension_count', Math.trunc(headSize(parameters) * rotated));
  metadata.u32('expert_feed_forward_length', integer('moe_intermediate_size'));
  metadata.u32('expert_shared_count', integer('n_shared_experts'));
  metadata.u32('leading_dense_block_count', integer('first_k_dense_replace'));
  metadata.u32('expert_gating_func', gatingFunctions.sigmoid);
  metadata.f32('expert_weights_scale', number('routed_scaling_factor'));
  const isNormalized = find('norm_topk_prob');
  if (typeof isNormalized === 'boolean') metadata.bool('expert_weights_norm', isNormalized);
  const predictions = integer('num_nextn_predict_layers');
  metadata.u32('block_count', layers + (predictions ?? 0));
  metadata.u32('nextn_predict_layers', predictions);
}
