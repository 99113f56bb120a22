// Qwen 2, 2.5 and 3, also as embedding models, and their mixtures of experts.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon } from '../config/describe-decoder.ts';
import { describePooling } from '../config/describe-pooling.ts';
import type { Metadata } from '../config/metadata.ts';
import { decoderNames } from '../tensors/tensor-names.ts';
import { writeQwenTokenizer } from '../tokenizer/llama-tokenizer.ts';
import { expertMatrices } from './expert-matrices.ts';
import type { Family } from './family.ts';

const commonDefaults = { max_position_embeddings: 32_768, rope_theta: 10_000, rms_norm_eps: 1e-6 };

export const qwen2: Family = {
  models: ['Qwen2ForCausalLM', 'Qwen2Model'],
  architecture: 'qwen2',
  defaults: () => ({ ...commonDefaults, num_key_value_heads: 32 }),
  names: decoderNames,
  rename: (name, model) => (model === 'Qwen2Model' ? `model.${name}` : name),
  describe(checkpoint, metadata) {
    describeCommon(checkpoint, metadata);
    describePooling(checkpoint, metadata);
  },
  writeTokenizer: writeQwenTokenizer,
};

export const qwen3: Family = {
  ...qwen2,
  models: ['Qwen3ForCausalLM', 'Qwen3Model'],
  architecture: 'qwen3',
  defaults: () => ({ ...commonDefaults, num_key_value_heads: 32, head_dim: 128 }),
  rename: (name, model) => (model === 'Qwen3Model' && !name.startsWith('model.') ? `model.${name}` : name),
};

export const qwen2Moe: Family = {
  ...qwen2,
  models: ['Qwen2MoeForCausalLM'],
  architecture: 'qwen2moe',
  defaults: () => ({
    ...commonDefaults,
    num_key_value_heads: 16,
    num_experts: 60,
    num_experts_per_tok: 4,
    moe_intermediate_size: 1408,
    shared_expert_intermediate_size: 5632,
  }),
  rename: (name) => name,
  experts: expertMatrices,
  describe: describeExperts,
};

export const qwen3Moe: Family = {
  ...qwen2Moe,
  models: ['Qwen3MoeForCausalLM'],
  architecture: 'qwen3moe',
  defaults: () => ({
    ...commonDefaults,
    num_key_value_heads: 4,
    num_experts: 128,
    num_experts_per_tok: 8,
    moe_intermediate_size: 768,
  }),
};

function describeExperts(checkpoint: Checkpoint, metadata: Metadata): void {
  const { integer } = checkpoint.parameters;
  describeCommon(checkpoint, metadata);
  metadata.u32('expert_feed_forward_length', integer('moe_intermediate_size'));
  metadata.u32('expert_shared_feed_forward_length', integer('shared_expert_intermediate_size'));
}
