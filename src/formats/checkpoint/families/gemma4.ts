// Gemma 4, also with experts and with embeddings of each layer. Of a model that also reads images and sound, the text model
// is converted.

import { asObject, stringsOf } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Hyperparameters } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { isUint32 } from '../files/json-object.ts';
import type { OutputTensor } from '../tensors/output-tensor.ts';
import { extendNames, gemmaNames } from '../tensors/tensor-names.ts';
import { writeGemma4Tokenizer } from '../tokenizer/gemma4-tokenizer.ts';
import type { Family } from './family.ts';
import { describeGemma3, trimRows } from './gemma.ts';

export const gemma4: Family = {
  models: ['Gemma4ForCausalLM', 'Gemma4ForConditionalGeneration'],
  architecture: 'gemma4',
  defaults: () => ({
    vocab_size: 262_144,
    max_position_embeddings: 131_072,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    global_head_dim: 512,
    rms_norm_eps: 1e-6,
    sliding_window: 512,
    num_kv_shared_layers: 0,
    hidden_size_per_layer_input: 256,
    rope_parameters: {
      sliding_attention: { rope_theta: 10_000 },
      full_attention: { rope_type: 'proportional', partial_rotary_factor: 0.25, rope_theta: 1_000_000 },
    },
  }),
  names: extendNames(
    gemmaNames,
    {
      per_layer_input_gate: 'inp_gate',
      per_layer_projection: 'proj',
      post_per_layer_input_norm: 'post_norm',
      layer_scalar: 'layer_output_scale',
      'router.proj': 'ffn_gate_inp',
      'router.scale': 'ffn_gate_inp.scale',
      'router.per_expert_scale': 'ffn_down_exps.scale',
      'experts.gate_up_proj': 'ffn_gate_up_exps',
      'experts.down_proj': 'ffn_down_exps',
      pre_feedforward_layernorm_2: 'pre_ffw_norm_2',
      post_feedforward_layernorm_1: 'post_ffw_norm_1',
      post_feedforward_layernorm_2: 'post_ffw_norm_2',
    },
    {
      'model.embed_tokens_per_layer': 'per_layer_token_embd',
      'model.per_layer_model_projection': 'per_layer_model_proj',
      'model.per_layer_projection_norm': 'per_layer_proj_norm',
    },
  ),
  rename: (name) => (/\.(?:layer_scalar|experts\.\w+_proj)$/.test(name) ? `${name}.weight` : name),
  change: (source, name, { parameters }) =>
    name === 'model.embed_tokens.weight' ? { source: trimRows(source, parameters) } : { source },
  extraTensors: ({ parameters }) => [frequencyFactors(parameters)],
  describe: describeGemma4,
  writeTokenizer: writeGemma4Tokenizer,
};

function isSliding({ find, layers }: Hyperparameters): boolean[] {
  const types = stringsOf(find('layer_types'));
  if (types.length === 0)
    return Array.from({ length: layers }, (_, layer) => (layer + 1) % 6 !== 0 && layer !== layers - 1);
  if (types.length !== layers) throw unusable(`it has ${layers} layers, but layer_types of ${types.length}`);
  return types.map((type) => type === 'sliding_attention');
}

/** A setting of the layers with full attention: in one key, or by layer. */
function ofFullAttention(parameters: Hyperparameters, outer: string, inner: string): number | undefined {
  const layers = asObject(parameters.find('per_layer_config'));
  const layer = isSliding(parameters).findIndex((sliding, index) => !sliding && String(index) in layers);
  const own = layer < 0 ? undefined : asObject(layers[String(layer)])[inner];
  return isUint32(own) ? own : parameters.integer(outer);
}

function fullHeadSize(parameters: Hyperparameters): number {
  const size = ofFullAttention(parameters, 'global_head_dim', 'head_dim') ?? 0;
  if (size === 0 || size > maxHeadSize) throw unusable(`its heads of full attention have ${size} values`);
  return size;
}

const maxHeadSize = 65_536;

/** Only a part of each head is rotated. llama.cpp rotates all of it, so the other frequencies are divided by this. */
const neverRotated = 1e30;

function frequencyFactors(parameters: Hyperparameters): OutputTensor {
  const { rope_type: type, partial_rotary_factor: part } = parameters.rope.full;
  if (type !== 'proportional' || typeof part !== 'number')
    throw unusable('llama.cpp knows Gemma 4 only with proportional rope parameters');
  const size = fullHeadSize(parameters);
  const data = new Float32Array(Math.floor(size / 2)).fill(neverRotated);
  data.fill(1, 0, Math.trunc((size * part) / 2));
  return { name: 'rope_freqs.weight', shape: [data.length], type: 'F32', data };
}

function describeGemma4(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const { integer, requiredInteger, find } = parameters;
  if (find('use_bidirectional_attention') === 'all')
    throw unusable('llama.cpp knows Gemma 4 only as a model that reads texts in one direction');
  describeGemma3(checkpoint, metadata);
  const sliding = isSliding(parameters);
  metadata.u32('attention.shared_kv_layers', requiredInteger('num_kv_shared_layers'));
  metadata.u32('embedding_length_per_layer_input', integer('hidden_size_per_layer_input') ?? 0);
  metadata.bools('attention.sliding_window_pattern', sliding);
  const [full, window] = [fullHeadSize(parameters), requiredInteger('head_dim')];
  metadata.u32('attention.key_length', full);
  metadata.u32('attention.value_length', full);
  metadata.u32('attention.key_length_swa', window);
  metadata.u32('attention.value_length_swa', window);
  metadata.u32('expert_feed_forward_length', integer('expert_intermediate_size', 'moe_intermediate_size'));
  describeWidths(parameters, metadata, sliding);
  metadata.u32('rope.dimension_count', full);
  metadata.u32('rope.dimension_count_swa', window);
}

/** Sizes that differ between layers. */
function describeWidths(parameters: Hyperparameters, metadata: Metadata, sliding: readonly boolean[]): void {
  const { requiredInteger, find, layers } = parameters;
  if (find('use_double_wide_mlp') === true) {
    const width = requiredInteger('intermediate_size');
    const shared = layers - requiredInteger('num_kv_shared_layers');
    metadata.i32s(
      'feed_forward_length',
      sliding.map((_, layer) => (layer < shared ? width : 2 * width)),
    );
  }
  const keys = requiredInteger('num_key_value_heads');
  const fullKeys = ofFullAttention(parameters, 'num_global_key_value_heads', 'num_key_value_heads');
  if (fullKeys !== undefined)
    metadata.i32s(
      'attention.head_count_kv',
      sliding.map((isWindow) => (isWindow ? keys : fullKeys)),
    );
}
