// gpt-oss. Its experts are published as MXFP4, which stays as it is.

import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon } from '../config/describe-decoder.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { NamedPiece, OutputTensor, PackedPiece } from '../tensors/output-tensor.ts';
import { packedShape } from '../tensors/read-packed.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import { decoderNames, extendNames, mapTensorName } from '../tensors/tensor-names.ts';
import { everyUnit } from '../tensors/unit-order.ts';
import { writeBytePairTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';

const names = extendNames(decoderNames, {
  post_attention_layernorm: 'post_attention_norm',
  'self_attn.sinks': 'attn_sinks',
  'mlp.router': 'ffn_gate_inp',
  'mlp.experts.gate_proj': 'ffn_gate_exps',
  'mlp.experts.up_proj': 'ffn_up_exps',
  'mlp.experts.down_proj': 'ffn_down_exps',
});

const packedName = /_(?:blocks|scales)$/;

export const gptOss: Family = {
  models: ['GptOssForCausalLM'],
  architecture: 'gpt-oss',
  quantization: 'mxfp4',
  defaults: () => ({
    max_position_embeddings: 131_072,
    num_attention_heads: 64,
    num_key_value_heads: 8,
    head_dim: 64,
    rms_norm_eps: 1e-5,
    num_local_experts: 128,
    num_experts_per_tok: 4,
    sliding_window: 128,
    rope_theta: 150_000,
  }),
  names,
  rename: (name) => (name.endsWith('.sinks') ? `${name}.weight` : name),
  extraTensors: ({ tensors }) => tensors.flatMap(({ name, source }) => packedTensors(name, source, tensors)),
  split: splitOpen,
  describe(checkpoint, metadata) {
    describeCommon(checkpoint, metadata);
    const { requiredInteger } = checkpoint.parameters;
    metadata.u32('attention.sliding_window', requiredInteger('sliding_window'));
    metadata.u32('expert_feed_forward_length', requiredInteger('intermediate_size'));
  },
  writeTokenizer: writeBytePairTokenizer,
};

/** The rows of both inputs of the activation alternate. */
const halves = [
  ['gate_proj', 0],
  ['up_proj', 1],
] as const;

function packedTensors(name: string, scales: SourceTensor, all: Checkpoint['tensors']): OutputTensor[] {
  const [, prefix, matrix] = /^(.+\.experts)\.(gate_up_proj|down_proj)_scales$/.exec(name) ?? [];
  if (prefix === undefined) return [];
  const blocks = all.find((other) => other.name === name.replace(/_scales$/, '_blocks'))?.source;
  if (blocks === undefined) throw unusable(`the tensor ${name} has no blocks`);
  const rows = blocks.shape[1] ?? 0;
  const toTensor = (own: string, data: PackedPiece): OutputTensor => ({
    name: mapTensorName(`${prefix}.${own}.weight`, names) ?? own,
    shape: packedShape(data),
    type: 'MXFP4',
    data,
  });
  if (matrix === 'down_proj') return [toTensor(matrix, { blocks, scales, rows: everyUnit(rows, 0, 1) })];
  return halves.map(([own, start]) => toTensor(own, { blocks, scales, rows: everyUnit(rows, start, 2) }));
}

function splitOpen(source: SourceTensor, name: string): readonly NamedPiece[] | undefined {
  if (packedName.test(name)) return [];
  const [, prefix, matrix, isBias] = /^(.+\.experts)\.(gate_up_proj|down_proj)(_bias)?$/.exec(name) ?? [];
  if (prefix === undefined) return undefined;
  const suffix = isBias === undefined ? 'weight' : 'bias';
  const [experts = 0, ...sizes] = source.shape;
  if (matrix === 'down_proj') {
    const shape = [experts, ...sizes.toReversed()];
    return [{ name: `${prefix}.down_proj.${suffix}`, piece: isBias ? { source } : { source, shape, transposed: {} } }];
  }
  const width = sizes.at(-1) ?? 0;
  return halves.map(([own, start]) => {
    const columns = everyUnit(width, start, 2);
    const shape = [experts, columns.length, ...sizes.slice(0, -1)];
    const order = { parts: experts, units: width, order: columns };
    return {
      name: `${prefix}.${own}.${suffix}`,
      piece: { source, shape, ...(isBias ? { order } : { transposed: { columns } }) },
    };
  });
}
