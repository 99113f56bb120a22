// Qwen 2.5 VL, 3 VL and 3.5, whose files have an image encoder next to the language model.

import {
  blocksIn,
  clipDeviation,
  clipMean,
  commonVisionKeys,
  copyClipKeys,
  type DialectRow,
  describeClip,
  f32Entry,
  padSections,
  u32Entry,
  useLargest,
  vision,
} from '../dialect-row.ts';
import { f32Type, type HeaderEdit, type HeaderReader } from '../header-edit.ts';
import { bytesOfFloats, toFloats } from '../to-floats.ts';
import { hasShortStepNames, lengthenStepNames } from './text-rows.ts';

const qwen25vl: DialectRow = {
  name: 'qwen25vl',
  architectures: ['qwen25vl'],
  others: vision,
  editWeights(edit) {
    edit.renameArchitecture('qwen25vl', 'qwen2vl');
    padSections(edit, 'qwen25vl.rope.mrope_section', 'qwen2vl.rope.dimension_sections');
  },
  projector: {
    tensors: vision,
    edit(edit) {
      copyClipKeys(edit, { ...commonVisionKeys, 'vision.window_size': 'vision.window_size' });
      // The first block with full attention ends the first group of windowed ones.
      const [full = 7] = edit.source.numbers('qwen25vl.vision.fullatt_block_indexes') ?? [];
      edit.setDefaults({ 'clip.vision.n_wa_pattern': u32Entry(full + 1), 'clip.vision.image_size': u32Entry(560) });
      useShape(edit, 'v.blk.0.ffn_up.weight');
      describeClip(edit, { type: 'qwen2.5vl_merger', activation: 'silu', mean: clipMean, deviation: clipDeviation });
      edit.replaceInNames([
        ['v.merger.ln_q.', 'v.post_ln.'],
        ['v.merger.mlp.', 'mm.'],
        ['v.patch_embd_0.weight', 'v.patch_embd.weight'],
        ['v.patch_embd_1.weight', 'v.patch_embd.weight.1'],
      ]);
      edit.toF32('v.patch_embd.weight');
      edit.toF32('v.patch_embd.weight.1');
    },
  },
};

/** The width of the feed-forward network, if no key has it. */
function useShape(edit: HeaderEdit, name: string): void {
  const width = edit.tensor(name)?.shape[1];
  if (width !== undefined) edit.setDefault('clip.vision.feed_forward_length', u32Entry(width));
}

const qwen3vl: DialectRow = {
  name: 'qwen3vl',
  architectures: ['qwen3vl', 'qwen3vlmoe'],
  applies: (header) => !header.has(`${header.architecture}.rope.dimension_sections`),
  others: vision,
  editWeights(edit) {
    const { architecture } = edit.source;
    // The sections of all published models. The files do not have them.
    edit.set(`${architecture}.rope.dimension_sections`, { type: 'i32s', value: [24, 20, 20, 0] });
    edit.setDefault(`${architecture}.n_deepstack_layers`, u32Entry(deepLayers(edit.source).length));
  },
  projector: { tensors: vision, edit: editMerger },
};

const qwen35: DialectRow = {
  name: 'qwen35',
  architectures: ['qwen35', 'qwen35moe'],
  applies: (header) =>
    header.hasTensor(...vision, 'mtp.') ||
    hasShortStepNames(header) ||
    header.numbers(`${header.architecture}.attention.head_count_kv`) !== undefined ||
    header.numbers(`${header.architecture}.rope.dimension_sections`)?.length === 3,
  // The layers that predict several tokens are not used.
  others: [...vision, 'mtp.'],
  editWeights(edit) {
    const { architecture } = edit.source;
    useLargest(edit, `${architecture}.attention.head_count_kv`, 2);
    padSections(edit, `${architecture}.rope.dimension_sections`, `${architecture}.rope.dimension_sections`);
    lengthenStepNames(edit);
  },
  projector: { tensors: vision, edit: editMerger },
};

/** The image encoder of Qwen 3 VL, which 3.5 has, too. */
function editMerger(edit: HeaderEdit): void {
  copyClipKeys(edit, {
    ...commonVisionKeys,
    'vision.temporal_patch_size': 'vision.temporal_patch_size',
    'vision.rope.freq_base': 'vision.rope.freq_base',
    'vision.image_mean': 'vision.image_mean',
    'vision.image_std': 'vision.image_std',
    'vision.image_min_pixels': 'vision.shortest_edge',
    'vision.image_max_pixels': 'vision.longest_edge',
  });
  edit.setDefaults({
    'clip.vision.num_channels': u32Entry(3),
    'clip.vision.temporal_patch_size': u32Entry(2),
    'clip.vision.rope.freq_base': f32Entry(10_000),
    'clip.vision.attention.layer_norm_epsilon': f32Entry(1e-6),
    'clip.vision.image_min_pixels': u32Entry(65_536),
    'clip.vision.image_max_pixels': u32Entry(16_777_216),
  });
  useShape(edit, 'v.blk.0.mlp.linear_fc1.weight');
  useImageSize(edit);
  markDeepLayers(edit);
  describeClip(edit, { type: 'qwen3vl_merger' });
  for (const block of blocksIn(edit.names(), /^v\.blk\.(\d+)\.attn_q\./)) {
    for (const part of ['weight', 'bias'])
      edit.join(
        ['q', 'k', 'v'].map((letter) => `v.blk.${block}.attn_${letter}.${part}`),
        `v.blk.${block}.attn_qkv.${part}`,
      );
  }
  splitFrames(edit);
  const layers = deepLayers(edit.source);
  edit.replaceInNames([
    // Adapters are numbered. llama.cpp names one by the layer after which it is applied.
    [/^v\.deepstack_merger\.(\d+)\.(?:linear_)?/, (_, index) => `v.deepstack.${layers[Number(index)] ?? index}.`],
    ['v.pos_embed', 'v.position_embd'],
    ['v.patch_embed', 'v.patch_embd'],
    ['v.merger.norm', 'v.post_ln'],
    ['v.merger.linear_fc1', 'mm.0'],
    ['v.merger.linear_fc2', 'mm.2'],
    ['.mlp.linear_fc1', '.ffn_up'],
    ['.mlp.linear_fc2', '.ffn_down'],
    ['.norm1', '.ln1'],
    ['.norm2', '.ln2'],
  ]);
  edit.toF32('v.position_embd.weight');
}

function deepLayers(header: HeaderReader): readonly number[] {
  return header.numbers(`${header.architecture}.vision.deepstack_visual_indexes`) ?? [];
}

function useImageSize(edit: HeaderEdit): void {
  const places = edit.tensor('v.pos_embed.weight')?.shape[1];
  const patch = edit.source.number(`${edit.source.architecture}.vision.patch_size`);
  if (places !== undefined && patch !== undefined)
    edit.setDefault('clip.vision.image_size', u32Entry(Math.floor(Math.sqrt(places)) * patch));
}

// More than any encoder has.
const maxBlocks = 1024;

function markDeepLayers(edit: HeaderEdit): void {
  const blocks = Math.min(edit.source.number(`${edit.source.architecture}.vision.block_count`) ?? 0, maxBlocks);
  const layers = new Set(deepLayers(edit.source));
  const value = Array.from({ length: blocks }, (_, block) => layers.has(block));
  if (blocks > 0) edit.set('clip.vision.is_deepstack_layers', { type: 'bools', value });
}

/** One convolution over two frames becomes two convolutions, each over one. Output and input channels are one dimension. */
function splitFrames(edit: HeaderEdit): void {
  const name = 'v.patch_embed.weight';
  const tensor = edit.tensor(name);
  const [width = 0, height = 0, frames = 0, packed = 0] = tensor?.shape ?? [];
  const channels = edit.source.number(`${edit.source.architecture}.vision.num_channels`) ?? 3;
  if (tensor === undefined || frames !== 2 || packed % channels !== 0) return;
  edit.drop(name);
  for (const frame of [0, 1])
    edit.add({
      name: `v.patch_embd.weight${frame === 0 ? '' : '.1'}`,
      shape: [width, height, channels, packed / channels],
      type: f32Type,
      data: {
        ...tensor.data,
        compute: (source) => oneFrame(toFloats(source, tensor.type), { frame, size: width * height }),
      },
    });
}

function oneFrame(values: Float32Array, { frame, size }: { readonly frame: number; readonly size: number }): Buffer {
  const result = new Float32Array(values.length / 2);
  for (let start = 0; start < result.length; start += size)
    result.set(values.subarray(2 * start + frame * size, 2 * start + (frame + 1) * size), start);
  return bytesOfFloats(result);
}

export const qwenRows: readonly DialectRow[] = [qwen25vl, qwen3vl, qwen35];
