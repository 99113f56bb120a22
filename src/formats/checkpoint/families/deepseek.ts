// DeepSeek V2 and V3: latent attention, and a mixture of experts. The layer that predicts one token more is left out, as in
// llama.cpp's converter.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon } from '../config/describe-decoder.ts';
import { ropeNumber } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { ConfigObject } from '../files/json-object.ts';
import type { NamedPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { indicesBelow } from '../tensors/unit-order.ts';
import { writeBytePairTokenizer } from '../tokenizer/llama-tokenizer.ts';
import { expertMatrices } from './expert-matrices.ts';
import type { Family } from './family.ts';
import { withoutCorrectionName } from './score-correction.ts';

export const deepseek: Family = {
  models: ['DeepseekV2ForCausalLM', 'DeepseekV3ForCausalLM'],
  architecture: 'deepseek2',
  defaults: () => ({ max_position_embeddings: 4096, rms_norm_eps: 1e-6, rope_theta: 10_000, kv_lora_rank: 512 }),
  names: extendNames(decoderNames, {
    'self_attn.q_a_proj': 'attn_q_a',
    'self_attn.q_a_layernorm': 'attn_q_a_norm',
    'self_attn.q_b_proj': 'attn_q_b',
    'self_attn.kv_a_proj_with_mqa': 'attn_kv_a_mqa',
    'self_attn.kv_a_layernorm': 'attn_kv_a_norm',
    'self_attn.k_b_proj': 'attn_k_b',
    'self_attn.v_b_proj': 'attn_v_b',
    'mlp.gate.e_score_correction': 'exp_probs_b',
    'mlp.shared_experts.gate_proj': 'ffn_gate_shexp',
    'mlp.shared_experts.up_proj': 'ffn_up_shexp',
    'mlp.shared_experts.down_proj': 'ffn_down_shexp',
  }),
  rename: renameDeepseek,
  split: splitKeysAndValues,
  experts: expertMatrices,
  describe: describeDeepseek,
  writeTokenizer: writeBytePairTokenizer,
};

function renameDeepseek(name: string, _model: string, config: ConfigObject): string | undefined {
  const layer = /^model\.layers\.(\d{1,4})\./.exec(name)?.[1];
  if (layer !== undefined && Number(layer) >= Number(config['num_hidden_layers'])) return undefined;
  if (name === 'lm_head.weight' && config['tie_word_embeddings'] === true) return undefined;
  return withoutCorrectionName(name);
}

/** The matrix from latent vectors to keys and values becomes two, the first of them transposed. */
function splitKeysAndValues(
  source: SourceTensor,
  name: string,
  { parameters }: Checkpoint,
): readonly NamedPiece[] | undefined {
  if (!name.endsWith('.kv_b_proj.weight')) return undefined;
  const heads = parameters.requiredInteger('num_key_value_heads', 'num_attention_heads');
  const keys = parameters.requiredInteger('qk_nope_head_dim');
  const values = parameters.requiredInteger('v_head_dim');
  const [rows = 0, rank = 0] = source.shape;
  if (rows !== heads * (keys + values))
    throw unusable(`the tensor ${source.name} has ${rows} rows, not ${heads * (keys + values)}`);
  const matrices: SourceTensor = { ...source, shape: [heads, keys + values, rank] };
  const order = { parts: heads, units: keys + values, order: indicesBelow(values).map((row) => keys + row) };
  return [
    {
      name: name.replace('kv_b_proj', 'k_b_proj'),
      piece: { source: matrices, shape: [heads, rank, keys], transposed: { rows: keys } },
    },
    { name: name.replace('kv_b_proj', 'v_b_proj'), piece: { source: matrices, shape: [heads, values, rank], order } },
  ];
}

function describeDeepseek(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const { integer, requiredInteger, number, find, layers, rope } = parameters;
  describeCommon(checkpoint, metadata);
  // Latent attention is computed like attention with one head of keys.
  metadata.u32('attention.head_count_kv', 1);
  const experts = integer('n_routed_experts');
  metadata.u32('leading_dense_block_count', integer('first_k_dense_replace') ?? (experts === undefined ? layers : 0));
  metadata.u32('vocab_size', requiredInteger('vocab_size'));
  metadata.u32('attention.q_lora_rank', integer('q_lora_rank'));
  const rank = requiredInteger('kv_lora_rank');
  const rotated = requiredInteger('qk_rope_head_dim');
  metadata.u32('attention.kv_lora_rank', rank);
  metadata.u32('attention.key_length', rank + rotated);
  metadata.u32('attention.value_length', rank);
  metadata.u32('attention.key_length_mla', requiredInteger('qk_nope_head_dim') + rotated);
  metadata.u32('attention.value_length_mla', requiredInteger('v_head_dim'));
  metadata.u32('expert_feed_forward_length', requiredInteger('moe_intermediate_size', 'intermediate_size'));
  metadata.u32('expert_shared_count', integer('n_shared_experts') ?? 0);
  metadata.f32('expert_weights_scale', number('routed_scaling_factor'));
  if (find('norm_topk_prob') === true) metadata.bool('expert_weights_norm', true);
  metadata.u32('rope.dimension_count', rotated);
  const factor = ropeNumber(rope, 'mscale_all_dim');
  metadata.f32('rope.scaling.yarn_log_multiplier', factor === undefined ? undefined : 0.1 * factor);
}
