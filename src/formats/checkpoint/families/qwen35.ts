// Qwen 3.5 and its mixture of experts: three of four layers have linear attention. The layers that predict more than one
// token are kept. Of a model that also reads images, the text model is converted.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon, headSize } from '../config/describe-decoder.ts';
import { type Hyperparameters, ropeNumber } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import type { ConfigObject } from '../files/json-object.ts';
import type { TensorPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { splitExperts } from '../tensors/split-experts.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { indicesBelow, type UnitOrder } from '../tensors/unit-order.ts';
import { writeQwenTokenizer } from '../tokenizer/llama-tokenizer.ts';
import { expertMatrices } from './expert-matrices.ts';
import type { Family } from './family.ts';

const names = extendNames(decoderNames, {
  post_attention_layernorm: 'post_attention_norm',
  'linear_attn.in_proj_qkv': 'attn_qkv',
  'linear_attn.in_proj_z': 'attn_gate',
  'linear_attn.in_proj_a': 'ssm_alpha',
  'linear_attn.in_proj_b': 'ssm_beta',
  'linear_attn.conv1d': 'ssm_conv1d',
  'linear_attn.norm': 'ssm_norm',
  'linear_attn.out_proj': 'ssm_out',
  'linear_attn.A_log': 'ssm_a',
  'linear_attn.dt_proj': 'ssm_dt',
  'mlp.experts.gate_proj': 'ffn_gate_exps',
  'mlp.experts.up_proj': 'ffn_up_exps',
  'mlp.experts.down_proj': 'ffn_down_exps',
  eh_proj: 'nextn.eh_proj',
  enorm: 'nextn.enorm',
  hnorm: 'nextn.hnorm',
  'shared_head.norm': 'nextn.shared_head_norm',
});

export const qwen35: Family = {
  models: ['Qwen3_5ForConditionalGeneration', 'Qwen3_5ForCausalLM'],
  architecture: 'qwen35',
  defaults: () => ({
    max_position_embeddings: 32_768,
    num_attention_heads: 16,
    num_key_value_heads: 4,
    head_dim: 256,
    rms_norm_eps: 1e-6,
    linear_conv_kernel_dim: 4,
    linear_key_head_dim: 128,
    linear_value_head_dim: 128,
    linear_num_key_heads: 16,
    linear_num_value_heads: 32,
    rope_theta: 10_000,
  }),
  names,
  rename: renameQwen35,
  change: changeQwen35,
  describe: describeQwen35,
  writeTokenizer: writeQwenTokenizer,
};

export const qwen35Moe: Family = {
  ...qwen35,
  models: ['Qwen3_5MoeForConditionalGeneration', 'Qwen3_5MoeForCausalLM'],
  architecture: 'qwen35moe',
  defaults: (config) => ({
    ...qwen35.defaults(config),
    num_key_value_heads: 2,
    num_experts: 256,
    num_experts_per_tok: 8,
    moe_intermediate_size: 512,
    shared_expert_intermediate_size: 512,
  }),
  split: splitExperts,
  experts: expertMatrices,
  describe(checkpoint, metadata) {
    describeQwen35(checkpoint, metadata);
    const { integer } = checkpoint.parameters;
    metadata.u32('expert_feed_forward_length', integer('moe_intermediate_size'));
    metadata.u32('expert_shared_feed_forward_length', integer('shared_expert_intermediate_size'));
  },
};

const predictionNames: Readonly<Record<string, string>> = {
  fc: 'eh_proj',
  pre_fc_norm_embedding: 'enorm',
  pre_fc_norm_hidden: 'hnorm',
  norm: 'shared_head.norm',
};

/** The layers that predict follow the others. */
function renameQwen35(name: string, _model: string, config: ConfigObject): string | undefined {
  const bare = name.replace(/\.dt_bias$/, '.dt_proj.bias').replace(/^model\.mtp\./, 'mtp.');
  if (!bare.startsWith('mtp.')) return bare;
  const layers = Number(config['num_hidden_layers']);
  const [, number, rest] = /^mtp\.layers\.(\d{1,4})\.(.+)$/.exec(bare) ?? [];
  if (number !== undefined) return `model.layers.${layers + Number(number)}.${rest}`;
  const [, part = '', suffix] = /^mtp\.(\w+)\.(weight|bias)$/.exec(bare) ?? [];
  return Object.hasOwn(predictionNames, part) ? `model.layers.${layers}.${predictionNames[part]}.${suffix}` : bare;
}

/** Layers beyond the number in config.json. */
function predictionLayers({ tensors, parameters }: Checkpoint): number {
  const numbers = tensors.map(({ name }) => Number(/^model\.layers\.(\d{1,4})\./.exec(name)?.[1] ?? 0));
  return Math.max(0, numbers.reduce((most, number) => Math.max(most, number), 0) + 1 - parameters.layers);
}

function changeQwen35(source: SourceTensor, name: string, { parameters }: Pick<Checkpoint, 'parameters'>): TensorPiece {
  const shape = name.endsWith('.conv1d.weight')
    ? source.shape.filter((size, index) => index !== 1 || size !== 1)
    : undefined;
  const order = name.includes('.linear_attn.') ? orderOfValueHeads(source, name, parameters) : undefined;
  if (name.endsWith('.A_log')) return { source, order, values: 'negativeExponential' };
  const isShifted = name.endsWith('norm.weight') && !name.endsWith('linear_attn.norm.weight');
  return isShifted ? { source, values: 'addOne' } : { source, order, shape };
}

/** transformers groups the heads of values by the head of keys that they share; llama.cpp repeats the heads of keys. */
function orderOfValueHeads(
  { shape }: SourceTensor,
  name: string,
  { requiredInteger }: Hyperparameters,
): UnitOrder | undefined {
  const keyHeads = requiredInteger('linear_num_key_heads');
  const valueHeads = requiredInteger('linear_num_value_heads');
  if (keyHeads === 0 || keyHeads === valueHeads || valueHeads % keyHeads !== 0) return undefined;
  const perKey = valueHeads / keyHeads;
  const heads = indicesBelow(valueHeads).map((head) => (head % keyHeads) * perKey + Math.floor(head / keyHeads));
  if (name.endsWith('.out_proj.weight')) return { parts: shape[0] ?? 0, units: valueHeads, order: heads };
  if (/\.(?:in_proj_z|in_proj_a|in_proj_b|dt_proj)\.|\.A_log$/.test(name))
    return { parts: 1, units: valueHeads, order: heads };
  if (!/\.(?:in_proj_qkv|conv1d)\./.test(name)) return undefined;
  // Rows of queries and keys come first, then those of values.
  const keyRows = 2 * keyHeads * requiredInteger('linear_key_head_dim');
  const size = requiredInteger('linear_value_head_dim');
  const values = heads.flatMap((head) => indicesBelow(size).map((row) => keyRows + head * size + row));
  return { parts: 1, units: shape[0] ?? 0, order: [...indicesBelow(keyRows), ...values] };
}

function describeQwen35(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const { requiredInteger, integer } = parameters;
  describeCommon(checkpoint, metadata);
  metadata.u32('ssm.conv_kernel', requiredInteger('linear_conv_kernel_dim'));
  metadata.u32('ssm.state_size', requiredInteger('linear_key_head_dim'));
  metadata.u32('ssm.group_count', requiredInteger('linear_num_key_heads'));
  metadata.u32('ssm.time_step_rank', requiredInteger('linear_num_value_heads'));
  metadata.u32('ssm.inner_size', requiredInteger('linear_value_head_dim') * requiredInteger('linear_num_value_heads'));
  metadata.u32('full_attention_interval', integer('full_attention_interval') ?? 4);
  const rotated = ropeNumber(parameters.rope, 'partial_rotary_factor') ?? 0.25;
  metadata.u32('rope.dimension_count', Math.trunc(headSize(parameters) * rotated));
  if (parameters.rope.full['mrope_section'] === undefined) metadata.i32s('rope.dimension_sections', [11, 11, 10, 0]);
  const predictions = predictionLayers(checkpoint);
  metadata.u32('block_count', parameters.layers + predictions);
  if (predictions > 0) metadata.u32('nextn_predict_layers', predictions);
}
