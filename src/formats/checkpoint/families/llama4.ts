// Llama 4: a mixture of experts in some of the layers. Of a model that also reads images, the text model is converted.

import { stringsOf } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { NamedPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { indicesBelow } from '../tensors/unit-order.ts';
import { writeBytePairTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';
import { describeLlama, ropeFactors } from './llama.ts';

export const llama4: Family = {
  models: ['Llama4ForConditionalGeneration', 'Llama4ForCausalLM'],
  architecture: 'llama4',
  defaults: () => ({
    max_position_embeddings: 131_072,
    num_attention_heads: 40,
    num_key_value_heads: 8,
    head_dim: 128,
    rms_norm_eps: 1e-5,
    rope_theta: 500_000,
    num_experts_per_tok: 1,
    num_local_experts: 16,
    interleave_moe_layer_step: 1,
    intermediate_size: 8192,
    intermediate_size_mlp: 16_384,
  }),
  names: extendNames(decoderNames, {
    'feed_forward.router': 'ffn_gate_inp',
    'feed_forward.gate_proj': 'ffn_gate',
    'feed_forward.up_proj': 'ffn_up',
    'feed_forward.down_proj': 'ffn_down',
    'feed_forward.experts.gate_proj': 'ffn_gate_exps',
    'feed_forward.experts.up_proj': 'ffn_up_exps',
    'feed_forward.experts.down_proj': 'ffn_down_exps',
    'feed_forward.shared_expert.gate_proj': 'ffn_gate_shexp',
    'feed_forward.shared_expert.up_proj': 'ffn_up_shexp',
    'feed_forward.shared_expert.down_proj': 'ffn_down_shexp',
  }),
  extraTensors: ({ parameters }) => ropeFactors(parameters),
  split: splitLlama4,
  describe: describeLlama4,
  writeTokenizer: writeBytePairTokenizer,
};

/** The matrices of experts have inputs as rows. */
function splitLlama4(source: SourceTensor, name: string): readonly NamedPiece[] | undefined {
  const [, prefix, matrix] = /^(.+\.experts)\.(gate_up_proj|down_proj)$/.exec(name) ?? [];
  if (prefix === undefined) return undefined;
  const [experts = 0, rows = 0, width = 0] = source.shape;
  if (matrix === 'down_proj')
    return [{ name: `${prefix}.down_proj.weight`, piece: { source, shape: [experts, width, rows], transposed: {} } }];
  if (width % 2 !== 0) throw unusable(`the tensor ${source.name} has ${width} columns, which are not two halves`);
  const half = width / 2;
  return ['gate_proj', 'up_proj'].map((own, index) => ({
    name: `${prefix}.${own}.weight`,
    piece: {
      source,
      shape: [experts, half, rows],
      transposed: { columns: indicesBelow(half).map((column) => index * half + column) },
    },
  }));
}

function describeLlama4(checkpoint: Checkpoint, metadata: Metadata): void {
  const { requiredInteger, find } = checkpoint.parameters;
  describeLlama(checkpoint, metadata);
  metadata.u32('feed_forward_length', requiredInteger('intermediate_size_mlp'));
  metadata.u32('interleave_moe_layer_step', requiredInteger('interleave_moe_layer_step'));
  metadata.u32('expert_feed_forward_length', requiredInteger('intermediate_size'));
  const types = stringsOf(find('layer_types'));
  if (types.length > 0 && types.every((type) => type === 'full_attention')) metadata.u32('attention.sliding_window', 0);
}
