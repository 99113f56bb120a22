// LFM2 and its mixture of experts: most layers are short convolutions instead of attention.

import { stringsOf } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon, gatingFunctions } from '../config/describe-decoder.ts';
import type { Hyperparameters } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { writeBytePairTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';

export const lfm2: Family = {
  models: ['Lfm2ForCausalLM', 'LFM2ForCausalLM'],
  architecture: 'lfm2',
  defaults: () => ({
    max_position_embeddings: 128_000,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    norm_eps: 1e-5,
    rope_theta: 1_000_000,
    conv_L_cache: 3,
    block_multiple_of: 256,
    block_ffn_dim_multiplier: 1,
    block_auto_adjust_ff_dim: true,
  }),
  names: extendNames(
    decoderNames,
    {
      operator_norm: 'attn_norm',
      ffn_norm: 'ffn_norm',
      'conv.conv': 'shortconv.conv',
      'conv.in_proj': 'shortconv.in_proj',
      'conv.out_proj': 'shortconv.out_proj',
      'feed_forward.w1': 'ffn_gate',
      'feed_forward.w2': 'ffn_down',
      'feed_forward.w3': 'ffn_up',
      'self_attn.out_proj': 'attn_output',
      'self_attn.q_layernorm': 'attn_q_norm',
      'self_attn.k_layernorm': 'attn_k_norm',
    },
    { 'model.embedding_norm': 'token_embd_norm' },
  ),
  change: (source, name) =>
    name.endsWith('.conv.conv.weight')
      ? { source, shape: source.shape.filter((size, index) => index !== 1 || size !== 1) }
      : { source },
  describe: describeLfm2,
  writeTokenizer: writeBytePairTokenizer,
};

export const lfm2Moe: Family = {
  ...lfm2,
  models: ['Lfm2MoeForCausalLM'],
  architecture: 'lfm2moe',
  defaults: () => ({
    max_position_embeddings: 128_000,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    norm_eps: 1e-5,
    rope_theta: 1_000_000,
    conv_L_cache: 3,
    num_dense_layers: 2,
    num_experts: 32,
    num_experts_per_tok: 4,
    intermediate_size: 7168,
    moe_intermediate_size: 1792,
  }),
  names: extendNames(lfm2.names, {
    'feed_forward.gate': 'ffn_gate_inp',
    'feed_forward.expert_bias': 'exp_probs_b',
  }),
  rename: (name) => name.replace(/\.expert_bias$/, '.expert_bias.bias'),
  experts: {
    pattern: /^feed_forward\.experts\.(\d{1,4})\.(w[123])\.weight$/,
    matrices: { w1: 'ffn_gate_exps', w2: 'ffn_down_exps', w3: 'ffn_up_exps' },
  },
  describe(checkpoint, metadata) {
    describeLayers(checkpoint, metadata);
    const { requiredInteger } = checkpoint.parameters;
    metadata.u32('expert_feed_forward_length', requiredInteger('moe_intermediate_size'));
    metadata.u32('leading_dense_block_count', requiredInteger('num_dense_layers'));
    metadata.u32('expert_gating_func', gatingFunctions.sigmoid);
  },
};

function describeLfm2(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  describeLayers(checkpoint, metadata);
  metadata.f32('attention.layer_norm_rms_epsilon', parameters.number('norm_eps'));
  metadata.u32('feed_forward_length', feedForwardLength(parameters));
}

function describeLayers(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const { requiredInteger, find } = parameters;
  describeCommon(checkpoint, metadata);
  const heads = requiredInteger('num_key_value_heads');
  metadata.i32s(
    'attention.head_count_kv',
    stringsOf(find('layer_types')).map((type) => (type === 'conv' ? 0 : heads)),
  );
  metadata.u32('vocab_size', requiredInteger('vocab_size'));
  metadata.u32('shortconv.l_cache', requiredInteger('conv_L_cache'));
}

/** Models whose size is adjusted have two thirds of it, rounded up. */
function feedForwardLength({ requiredInteger, number, find }: Hyperparameters): number {
  const own = requiredInteger('block_ff_dim', 'intermediate_size');
  if (find('block_auto_adjust_ff_dim') !== true) return own;
  const adjusted = Math.trunc((number('block_ffn_dim_multiplier') ?? 1) * Math.trunc((2 * own) / 3));
  const multiple = Math.max(1, requiredInteger('block_multiple_of'));
  return multiple * Math.ceil(adjusted / multiple);
}
