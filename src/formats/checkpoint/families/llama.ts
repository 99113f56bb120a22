// Llama, Mistral and Mixtral, and the many models with their layers.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon, headSize } from '../config/describe-decoder.ts';
import { type Hyperparameters, ropeNumber } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { OutputTensor, TensorPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { decoderNames } from '../tensors/tensor-names.ts';
import { alternateHalves } from '../tensors/unit-order.ts';
import { writeLlamaTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';

export const llama: Family = {
  models: ['LlamaForCausalLM', 'LLaMAForCausalLM', 'LlamaModel'],
  architecture: 'llama',
  defaults: (config) => ({
    max_position_embeddings: 2048,
    num_key_value_heads: config['num_attention_heads'],
    head_dim: quotient(config['hidden_size'], config['num_attention_heads']),
    rope_theta: 10_000,
    rms_norm_eps: 1e-6,
  }),
  names: decoderNames,
  rename: (name, model) => (model === 'LlamaModel' ? `model.${name}` : name),
  change: reorderHeads,
  extraTensors: ({ parameters }) => ropeFactors(parameters),
  describe: describeLlama,
  writeTokenizer: writeLlamaTokenizer,
};

export const mistral: Family = {
  ...llama,
  models: ['MistralForCausalLM'],
  defaults: (config) => ({
    max_position_embeddings: 131_072,
    head_dim: quotient(config['hidden_size'], config['num_attention_heads']),
    num_key_value_heads: 8,
    rope_theta: 10_000,
    rms_norm_eps: 1e-6,
  }),
};

export const mixtral: Family = {
  ...mistral,
  models: ['MixtralForCausalLM'],
  defaults: (config) => ({
    ...mistral.defaults(config),
    head_dim: null,
    rope_theta: 1_000_000,
    rms_norm_eps: 1e-5,
    num_local_experts: 8,
    num_experts_per_tok: 2,
  }),
  experts: {
    pattern: /^block_sparse_moe\.experts\.(\d+)\.(w[123])\.weight$/,
    matrices: { w1: 'ffn_gate_exps', w2: 'ffn_down_exps', w3: 'ffn_up_exps' },
  },
};

function quotient(dividend: unknown, divisor: unknown): number | null {
  return typeof dividend === 'number' && typeof divisor === 'number' && divisor > 0
    ? Math.floor(dividend / divisor)
    : null;
}

/** Queries and keys of adapters are reordered like those of the model. */
export function reorderHeads(
  source: SourceTensor,
  name: string,
  { parameters }: Pick<Checkpoint, 'parameters'>,
): TensorPiece {
  const isQuery = /\bq_proj\.(?:weight|bias)$/.test(name);
  const isKey = /\bk_proj\.(?:weight|bias)$/.test(name);
  if (!isQuery && !isKey) return { source };
  const queryHeads = parameters.requiredInteger('num_attention_heads');
  const heads = isQuery ? queryHeads : (parameters.integer('num_key_value_heads') ?? queryHeads);
  const rows = source.shape[0] ?? 0;
  if (heads === 0 || rows % (heads * 2) !== 0)
    throw unusable(`the tensor ${source.name} has ${rows} rows, which ${heads} heads cannot share`);
  return { source, order: alternateHalves(heads, rows / heads) };
}

export function describeLlama(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  describeCommon(checkpoint, metadata);
  metadata.u32('vocab_size', parameters.requiredInteger('vocab_size'));
  metadata.u32('rope.dimension_count', headSize(parameters));
}

const f = Math.fround;
/** A number divided by a tensor in PyTorch: it multiplies with the reciprocal, in single precision. */
const over = (dividend: number, divisor: number): number => f(f(1 / divisor) * f(dividend));

/** Llama 3.1 stretches the low frequencies. */
export function ropeFactors(parameters: Hyperparameters): OutputTensor[] {
  const { rope } = parameters;
  if (String(rope.full['rope_type']).toLowerCase() !== 'llama3') return [];
  const base = ropeNumber(rope, 'rope_theta') ?? 10_000;
  const factor = ropeNumber(rope, 'factor') ?? 8;
  const low = ropeNumber(rope, 'low_freq_factor') ?? 1;
  const high = ropeNumber(rope, 'high_freq_factor') ?? 4;
  const context = ropeNumber(rope, 'original_max_position_embeddings') ?? 8192;
  const size = headSize(parameters);
  const factors = Float32Array.from({ length: Math.ceil(size / 2) }, (_, index) => {
    const frequency = over(1, f(base ** f((2 * index) / size)));
    const wavelength = over(2 * Math.PI, frequency);
    if (wavelength < context / high) return 1;
    if (wavelength > context / low) return factor;
    const smooth = f(f(over(context, wavelength) - low) / f(high - low));
    return over(1, f(f(f(1 - smooth) / factor) + smooth));
  });
  return [{ name: 'rope_freqs.weight', shape: [factors.length], type: 'F32', data: factors }];
}
