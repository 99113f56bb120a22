// Nomic's encoders: rotary positions, and in the second version a mixture of experts in every second layer.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Hyperparameters } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { ConfigObject } from '../files/json-object.ts';
import { fusedBertNames } from '../tensors/encoder-names.ts';
import type { TensorPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { writeEncoderTokenizer } from '../tokenizer/bert-tokenizer.ts';
import { describeBert, renameBert } from './bert.ts';
import type { Family } from './family.ts';

const hasExperts = (config: ConfigObject): boolean => Number(config['moe_every_n_layers'] ?? 0) > 0;

export const nomicBert: Family = {
  models: ['NomicBertModel'],
  architecture: 'nomic-bert',
  applies: (config) => !hasExperts(config),
  defaults: () => ({}),
  names: fusedBertNames,
  rename: (name, model) => renameBert(name, model),
  describe: describeNomic,
  writeTokenizer: writeEncoderTokenizer,
};

export const nomicBertMoe: Family = {
  ...nomicBert,
  architecture: 'nomic-bert-moe',
  applies: hasExperts,
  rename(name, model) {
    if (name.endsWith('.mlp.experts.bias')) return undefined;
    return renameBert(/\.experts\.mlp\.w[12]$/.test(name) ? `${name}.weight` : name, model);
  },
  change: toExperts,
  describe(checkpoint, metadata) {
    describeNomic(checkpoint, metadata);
    const { requiredInteger } = checkpoint.parameters;
    metadata.u32('moe_every_n_layers', requiredInteger('moe_every_n_layers'));
    metadata.u32('expert_used_count', requiredInteger('moe_top_k'));
  },
};

/** The rows of all experts are in one matrix, and the columns of the second matrix of an expert are its rows. */
function toExperts(
  source: SourceTensor,
  name: string,
  { parameters: { requiredInteger } }: Pick<Checkpoint, 'parameters'>,
): TensorPiece {
  const kind = /\.experts\.mlp\.w([12])\.weight$/.exec(name)?.[1];
  if (kind === undefined) return { source };
  const experts = requiredInteger('num_local_experts', 'num_experts');
  const [rows = 0, width = 0] = source.shape;
  const inner = rows / experts;
  if (!Number.isInteger(inner) || source.shape.length !== 2)
    throw unusable(`the tensor ${source.name} has ${rows} rows, which ${experts} experts cannot share`);
  const matrices = { ...source, shape: [experts, inner, width] };
  return kind === '1' ? { source: matrices } : { source: matrices, shape: [experts, width, inner], transposed: {} };
}

function describeNomic(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  checkForm(parameters, checkpoint.config);
  describeBert(checkpoint, metadata);
  metadata.u32('context_length', trainedLength(parameters));
}

/** What llama.cpp computes. A setting that is absent has this value. */
const expected: Readonly<Record<string, unknown>> = {
  causal: false,
  prenorm: false,
  rotary_emb_fraction: 1,
  rotary_emb_interleaved: false,
  rotary_emb_scale_base: undefined,
};

function checkForm({ find }: Hyperparameters, config: ConfigObject): void {
  const isMoe = hasExperts(config);
  const form = { ...expected, qkv_proj_bias: isMoe, mlp_fc1_bias: isMoe, mlp_fc2_bias: isMoe };
  for (const [key, value] of Object.entries({ ...form, activation_function: isMoe ? 'gelu' : 'swiglu' })) {
    const own = find(key);
    if (own !== undefined && own !== value)
      throw unusable(`llama.cpp does not know a Nomic model whose ${key} is ${JSON.stringify(own)?.slice(0, 40)}`);
  }
}

/** config.json has a longer context than the model was trained for. */
function trainedLength({ integer, requiredInteger }: Hyperparameters): number {
  const positions = integer('n_positions');
  if (positions === undefined) return requiredInteger('max_position_embeddings');
  const trained = integer('max_trained_positions') ?? 2048;
  if (trained === 2048 && positions === 8192) return 2048;
  if (trained === 2048 && positions === 2048) return 512;
  throw unusable(`the context of a Nomic model with ${positions} positions is not known`);
}
