// Granite 3 and 4: multipliers for embeddings, attention, residuals and logits. Most models of Granite 4 mix Mamba layers and
// attention.

import { stringsOf } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Hyperparameters } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import type { ConfigObject } from '../files/json-object.ts';
import type { NamedPiece, TensorPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { splitHalves } from '../tensors/split-experts.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { writeBytePairTokenizer, writeLlamaTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';
import { describeLlama, llama, reorderHeads } from './llama.ts';

const hybridModel = 'GraniteMoeHybridForCausalLM';

const mambaDefaults = { mamba_d_conv: 4, mamba_d_state: 256, mamba_n_groups: 1, mamba_n_heads: 128, mamba_expand: 2 };

const names = extendNames(decoderNames, {
  'block_sparse_moe.router.layer': 'ffn_gate_inp',
  'block_sparse_moe.gate_linear': 'ffn_gate_exps',
  'block_sparse_moe.up_linear': 'ffn_up_exps',
  'block_sparse_moe.output_linear': 'ffn_down_exps',
  'shared_mlp.gate_linear': 'ffn_gate_shexp',
  'shared_mlp.up_linear': 'ffn_up_shexp',
  'shared_mlp.output_linear': 'ffn_down_shexp',
});

export const granite: Family = {
  ...llama,
  models: ['GraniteForCausalLM', hybridModel],
  architecture: 'granite',
  applies: (config) => !isHybrid(config) && !hasExperts(config),
  // Granite 4 has the names of a mixture of experts also where it has none.
  names: extendNames(decoderNames, {
    'shared_mlp.gate_linear': 'ffn_gate',
    'shared_mlp.up_linear': 'ffn_up',
    'shared_mlp.output_linear': 'ffn_down',
  }),
  defaults: (config) => ({
    max_position_embeddings: 2048,
    num_key_value_heads: config['num_attention_heads'],
    rope_theta: 10_000,
    rms_norm_eps: 1e-6,
    ...mambaDefaults,
  }),
  split: splitInputs,
  describe: describeGranite,
  writeTokenizer: (checkpoint, metadata) =>
    checkpoint.model === hybridModel
      ? writeBytePairTokenizer(checkpoint, metadata)
      : writeLlamaTokenizer(checkpoint, metadata),
};

export const graniteMoe: Family = {
  ...granite,
  models: ['GraniteMoeForCausalLM', 'GraniteMoeSharedForCausalLM', hybridModel],
  architecture: 'granitemoe',
  applies: (config) => !isHybrid(config),
  names,
};

export const graniteHybrid: Family = {
  ...granite,
  models: [hybridModel],
  architecture: 'granitehybrid',
  applies: isHybrid,
  names: extendNames(names, {
    'mamba.in_proj': 'ssm_in',
    'mamba.conv1d': 'ssm_conv1d',
    'mamba.A_log': 'ssm_a',
    'mamba.D': 'ssm_d',
    'mamba.dt_proj': 'ssm_dt',
    'mamba.norm': 'ssm_norm',
    'mamba.out_proj': 'ssm_out',
  }),
  rename: (name) => name.replace(/\.dt_bias$/, '.dt_proj.bias'),
  change: changeHybrid,
  split: (source, name, checkpoint) =>
    hasExperts(checkpoint.config) ? splitInputs(source, name) : splitDense(source, name),
};

function isHybrid(config: ConfigObject): boolean {
  return stringsOf(config['layer_types']).some((type) => !isAttention(type));
}

/** The second name is the one of transformers 5. */
function isAttention(type: string): boolean {
  return type === 'attention' || type === 'full_attention';
}

function hasExperts(config: ConfigObject): boolean {
  return Number(config['num_local_experts'] ?? 0) > 0;
}

/** Both inputs of an activation are one tensor. */
function splitInputs(source: SourceTensor, name: string): readonly NamedPiece[] | undefined {
  const [, prefix] = /^(.+)\.input_linear\.weight$/.exec(name) ?? [];
  return prefix === undefined
    ? undefined
    : splitHalves(source, [`${prefix}.gate_linear.weight`, `${prefix}.up_linear.weight`]);
}

/** What other models have for all tokens is here a layer like any other. */
function splitDense(source: SourceTensor, name: string): readonly NamedPiece[] | undefined {
  if (name.endsWith('.shared_mlp.output_linear.weight'))
    return [{ name: name.replace('.shared_mlp.output_linear.', '.mlp.down_proj.'), piece: { source } }];
  return splitInputs(source, name)?.map(({ name: own, piece }) => ({
    name: own.replace('.shared_mlp.gate_linear.', '.mlp.gate_proj.').replace('.shared_mlp.up_linear.', '.mlp.up_proj.'),
    piece,
  }));
}

function describeGranite(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const { number, integer } = parameters;
  describeLlama(checkpoint, metadata);
  const factors = {
    'attention.scale': 'attention_multiplier',
    embedding_scale: 'embedding_multiplier',
    residual_scale: 'residual_multiplier',
    logit_scale: 'logits_scaling',
  };
  for (const [key, source] of Object.entries(factors)) {
    const factor = number(source);
    if (factor !== undefined && factor !== 0) metadata.f32(key, factor);
  }
  const shared = integer('shared_intermediate_size');
  const isMixture = checkpoint.model !== 'GraniteForCausalLM';
  if (isMixture && shared !== undefined && shared > 0) metadata.u32('expert_shared_feed_forward_length', shared);
  if (checkpoint.model === hybridModel) describeLayers(checkpoint, metadata);
}

const longContext = 2 ** 20;

/** Also of models without Mamba layers, as in llama.cpp's converter. */
function describeLayers({ config, parameters }: Checkpoint, metadata: Metadata): void {
  const { requiredInteger, find } = parameters;
  // Mamba layers need no positions.
  metadata.bool('rope.scaling.finetuned', !isHybrid(config));
  if (isHybrid(config)) metadata.u32('context_length', longContext);
  metadata.u32('ssm.conv_kernel', requiredInteger('mamba_d_conv'));
  metadata.u32('ssm.state_size', requiredInteger('mamba_d_state'));
  metadata.u32('ssm.group_count', requiredInteger('mamba_n_groups'));
  metadata.u32('ssm.inner_size', innerSize(parameters));
  metadata.u32('ssm.time_step_rank', requiredInteger('mamba_n_heads'));
  const heads = requiredInteger('num_key_value_heads');
  metadata.i32s(
    'attention.head_count_kv',
    stringsOf(find('layer_types')).map((type) => (isAttention(type) ? heads : 0)),
  );
}

function innerSize({ requiredInteger }: Hyperparameters): number {
  return requiredInteger('mamba_expand') * requiredInteger('hidden_size');
}

function changeHybrid(source: SourceTensor, name: string, checkpoint: Pick<Checkpoint, 'parameters'>): TensorPiece {
  const { parameters } = checkpoint;
  if (name.endsWith('.mamba.conv1d.weight'))
    return { source, shape: source.shape.filter((size, index) => index !== 1 || size !== 1) };
  if (name.endsWith('.mamba.A_log')) return { source, shape: [...source.shape, 1], values: 'negativeExponential' };
  if (name.endsWith('.mamba.D')) return { source, shape: [...source.shape, 1] };
  if (name.endsWith('.mamba.norm.weight')) {
    const groups = Math.max(1, parameters.requiredInteger('mamba_n_groups'));
    return { source, shape: [groups, innerSize(parameters) / groups] };
  }
  return reorderHeads(source, name, checkpoint);
}
