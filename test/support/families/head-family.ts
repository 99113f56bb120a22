// Tiny models with a prediction head, which is one more layer.

import { i32s, type Keys, type TinyModel, type TinyTensor, u32 } from '../architectures/tiny-model.ts';
import { families } from './families.ts';
import type { Family } from './family-keys.ts';
import type { FamilyEngine } from './tensor-shapes.ts';
import { familyModel } from './write-family.ts';

/** What an architecture needs besides, by layer: names of tensors that the engine does not require. */
interface HeadFamily {
  readonly optional?: string;
  /** Lists with an entry for each layer, but none for the head. */
  readonly trunkKeys?: readonly string[];
  /** Lists that have another entry for the head than for the layer before it. */
  readonly ofHead?: Readonly<Record<string, number>>;
  /** Names of the tensors of the head that differ from those of the layer before it, which it does not have. */
  readonly tensors?: string;
}

const indexerTensors = ['k_norm.weight', 'k_norm.bias', 'proj.weight', 'attn_k.weight', 'attn_q_b.weight']
  .flatMap((name) => [0, 1].map((layer) => `blk.${layer}.indexer.${name}`))
  .join(' ');

export const headFamilies: Readonly<Record<string, HeadFamily>> = {
  cohere2moe: { trunkKeys: ['.attention.sliding_window_pattern'] },
  deepseek2: {},
  deepseek32: {},
  glm4moe: {},
  hy_v3: {},
  mimo2: {
    trunkKeys: ['.attention.sliding_window_pattern'],
    tensors:
      'attn_norm.weight attn_qkv.weight attn_output.weight ffn_norm.weight ffn_gate.weight ffn_down.weight ffn_up.weight',
  },
  nemotron_h_moe: {
    ofHead: { '.attention.head_count_kv': 2, '.feed_forward_length': 0 },
    tensors: 'attn_norm.weight',
    optional: 'blk.0.ssm_conv1d.bias',
  },
  'glm-dsa': { optional: indexerTensors },
  qwen35: { optional: 'blk.0.attn_qkv.weight blk.0.attn_gate.weight' },
  qwen35moe: { optional: 'blk.0.attn_qkv.weight blk.0.attn_gate.weight' },
  step35: {},
};

const headTensors = ['nextn.eh_proj.weight', 'nextn.enorm.weight', 'nextn.hnorm.weight'];
/** Random logits are close to each other. A head drafts only what it is sure of. */
const sharpness = 64;

/** The head has the tensors of the layer before it. */
export function familyModelWithHead(engine: FamilyEngine, name: string): TinyModel {
  const family = families.get(name) as Family;
  const { optional = '', trunkKeys = [], ofHead = {}, tensors } = headFamilies[name] ?? {};
  const { layers = 2, keys = {} } = family;
  const plain = familyModel(engine, name, family).tensors.map((tensor) => tensor.name);
  const last = `blk.${layers - 1}.`;
  const copied = plain.filter((tensor) => tensor.startsWith(last)).map((tensor) => tensor.slice(last.length));
  const headNames = [...(tensors?.split(' ') ?? copied), ...headTensors].map((tensor) => `blk.${layers}.${tensor}`);
  const longer = Object.entries(keys).map(([key, entry]): [string, Keys[string]] =>
    entry.type === 'i32s' && entry.value.length === layers && !trunkKeys.includes(key)
      ? [key, i32s(...Array.from(entry.value), ofHead[key] ?? (entry.value[layers - 1] as number))]
      : [key, entry],
  );
  const withHead = { ...Object.fromEntries(longer), '.nextn_predict_layers': u32(1) };
  const wanted = new Set([...plain, ...headNames, ...optional.split(' ').filter((one) => one !== '')]);
  const model = familyModel(engine, name, { ...family, layers: layers + 1, keys: withHead }, [...wanted]);
  return { ...model, tensors: model.tensors.map(sharpened) };
}

function sharpened(tensor: TinyTensor): TinyTensor {
  if (tensor.name !== 'output.weight') return tensor;
  return { ...tensor, values: tensor.values.map((value) => sharpness * value) };
}
