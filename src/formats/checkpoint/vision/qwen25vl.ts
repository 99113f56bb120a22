// Qwen 2.5 VL: an encoder with windows, whose patches have two frames, and a projector over squares of patches.

import { unusable } from '../files/checkpoint-error.ts';
import { isUint32 } from '../files/json-object.ts';
import type { NamedPiece } from '../tensors/output-tensor.ts';
import { type SourceTensor, sliceRows } from '../tensors/source-tensors.ts';
import type { VisionTower } from './vision-tower.ts';

const frames = 2;
/** Fixed in transformers: config.json has only that of the text model. */
const normEpsilon = 1e-6;
const patches = 'visual.patch_embed.proj.weight';

export const qwen25Vl: VisionTower = {
  models: ['Qwen2_5_VLForConditionalGeneration'],
  defaults: () => ({
    hidden_size: 3584,
    intermediate_size: 3420,
    depth: 32,
    num_heads: 16,
    patch_size: 14,
    image_size: 560,
    fullatt_block_indexes: [7, 15, 23, 31],
  }),
  names: {
    layers: 'visual.blocks',
    outside: {
      'visual.patch_embed.proj': 'v.patch_embd',
      'visual.patch_embed.proj.weight.1': 'v.patch_embd.weight.1',
      'visual.merger.ln_q': 'v.post_ln',
      'visual.merger.mlp.0': 'mm.0',
      'visual.merger.mlp.2': 'mm.2',
    },
    inLayer: {
      norm1: 'ln1',
      norm2: 'ln2',
      'attn.q': 'attn_q',
      'attn.k': 'attn_k',
      'attn.v': 'attn_v',
      'attn.proj': 'attn_out',
      'mlp.gate_proj': 'ffn_gate',
      'mlp.up_proj': 'ffn_up',
      'mlp.down_proj': 'ffn_down',
    },
  },
  rename(name) {
    const own = name.replace(/^model\./, '');
    return own.startsWith('visual.') ? own : undefined;
  },
  split(source, name) {
    if (name === patches) return splitFrames(source);
    return /\.qkv\.(?:weight|bias)$/.test(name) ? splitAttention(source, name) : undefined;
  },
  typeOf: (name, type) => (name.startsWith('v.patch_embd.') ? (type === 'F16' ? 'F16' : 'F32') : undefined),
  describe({ vision }, metadata) {
    metadata.string('projector_type', 'qwen2.5vl_merger');
    metadata.bool('use_silu', true);
    metadata.u32('vision.n_wa_pattern', windowPattern(vision['fullatt_block_indexes']));
    metadata.f32('vision.attention.layer_norm_epsilon', normEpsilon);
  },
};

/** Every so many layers, one attends to the whole image. */
function windowPattern(layers: unknown): number {
  if (!Array.isArray(layers) || !layers.every(isUint32) || layers.length === 0)
    throw unusable('fullatt_block_indexes of its image encoder is not a list of layers');
  const pattern = (layers[0] as number) + 1;
  if (layers.every((layer, index) => layer === (index + 1) * pattern - 1)) return pattern;
  throw unusable('the layers of its image encoder with full attention are not evenly distributed');
}

/** A matrix for each frame. */
function splitFrames(source: SourceTensor): NamedPiece[] {
  const [outputs = 0, colors = 0, depth = 0, ...patch] = source.shape;
  if (source.shape.length !== 5 || depth !== frames)
    throw unusable(`the tensor ${source.name} is not for patches of ${frames} frames`);
  return [patches, `${patches}.1`].map((name, frame) => ({
    name,
    piece: {
      source,
      shape: [outputs, colors, ...patch],
      order: { parts: outputs * colors, units: frames, order: [frame] },
    },
  }));
}

function splitAttention(source: SourceTensor, name: string): NamedPiece[] {
  const rows = (source.shape[0] ?? 0) / 3;
  if (!Number.isInteger(rows)) throw unusable(`the tensor ${source.name} has no queries, keys and values of one size`);
  return ['q', 'k', 'v'].map((part, index) => ({
    name: name.replace('.qkv.', `.${part}.`),
    piece: { source: sliceRows(source, index * rows, (index + 1) * rows) },
  }));
}
