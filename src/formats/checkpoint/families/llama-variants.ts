// Models with the layers of Llama and another architecture in llama.cpp: SmolLM 3, Ministral 3 and Mistral Small 3.

import { asObject } from '../../../base/json-values.ts';
import { ropeNumber } from '../config/hyperparameters.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { Family } from './family.ts';
import { describeLlama, llama } from './llama.ts';

export const smolLm3: Family = {
  ...llama,
  models: ['SmolLM3ForCausalLM'],
  architecture: 'smollm3',
  defaults: () => ({
    max_position_embeddings: 32_768,
    num_attention_heads: 16,
    num_key_value_heads: 4,
    rope_theta: 2_000_000,
    rms_norm_eps: 1e-6,
  }),
};

export const mistral3: Family = {
  ...llama,
  models: ['Mistral3ForConditionalGeneration', 'Ministral3ForCausalLM'],
  architecture: 'mistral3',
  applies: (config) => modelTypeOf(config) !== 'mistral4',
  defaults: (config) => ({
    ...llama.defaults(config),
    max_position_embeddings: 131_072,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    head_dim: 128,
    rms_norm_eps: 1e-5,
  }),
  describe(checkpoint, metadata) {
    describeLlama(checkpoint, metadata);
    const { rope, find } = checkpoint.parameters;
    if (find('model_type') !== 'ministral3') return;
    if (rope.full['rope_type'] !== 'yarn') throw unusable('the rope parameters of Ministral 3 are not those of yarn');
    metadata.f32('rope.scaling.yarn_log_multiplier', ropeNumber(rope, 'mscale_all_dim'));
    metadata.f32('attention.temperature_scale', ropeNumber(rope, 'llama_4_scaling_beta'));
  },
};

function modelTypeOf(config: Readonly<Record<string, unknown>>): unknown {
  return asObject(config['text_config'])['model_type'] ?? config['model_type'];
}
