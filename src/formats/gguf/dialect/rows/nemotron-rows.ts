// Nemotron 3: a language model with a state, in some files with an image encoder and an audio encoder.

import {
  clipDeviation,
  clipMean,
  commonVisionKeys,
  copyClipKeys,
  type DialectRow,
  describeClip,
  f32Entry,
  flagEntry,
  textEntry,
  u32Entry,
  vision,
} from '../dialect-row.ts';
import { f32Type, type HeaderEdit } from '../header-edit.ts';
import { bytesOfFloats, toFloats } from '../to-floats.ts';
import type { TranslatedTensor } from '../translation.ts';
import { resizeGrid } from './resize-grid.ts';

const nemotronMoe: DialectRow = {
  name: 'nemotron_h_moe',
  architectures: ['nemotron_h_moe'],
  applies: (header) => header.hasTensor('mtp.') || header.tensorNames().some((name) => latentName.test(name)),
  others: ['mtp.'],
  editWeights: editNemotron,
};

const latentName = /^blk\.\d+\.ffn_latent_in\.weight$/;

function editNemotron(edit: HeaderEdit): void {
  const latent = edit.names().find((name) => latentName.test(name));
  const size = latent === undefined ? undefined : edit.tensor(latent)?.shape[1];
  if (size !== undefined) edit.setDefault('nemotron_h_moe.moe_latent_size', u32Entry(size));
  edit.replaceInNames([
    ['.ffn_latent_in', '.ffn_latent_down'],
    ['.ffn_latent_out', '.ffn_latent_up'],
  ]);
}

const nemotronOmni: DialectRow = {
  name: 'nemotron_h_omni',
  architectures: ['nemotron_h_omni'],
  others: ['a.', ...vision, 'mtp.'],
  editWeights(edit) {
    const { source } = edit;
    const experts =
      (source.number('nemotron_h_omni.expert_count') ?? 0) + (source.number('nemotron_h_omni.expert_used_count') ?? 0);
    edit.renameArchitecture('nemotron_h_omni', experts > 0 ? 'nemotron_h_moe' : 'nemotron_h');
    if (experts > 0) editNemotron(edit);
  },
  projector: {
    // llama.cpp cannot use the audio encoder.
    tensors: ['v.', 'mm.norm.', 'mm.1.', 'mm.2.'],
    edit: editNemotronVision,
  },
};

const optionalNemotronKeys = [
  'image_token_id',
  'image_start_token_id',
  'image_end_token_id',
  'max_tiles',
  'min_num_patches',
  'max_num_patches',
];

function editNemotronVision(edit: HeaderEdit): void {
  const others = Object.fromEntries(
    ['image_mean', 'image_std', 'projector.scale_factor', ...optionalNemotronKeys].map((key) => [
      `vision.${key}`,
      `vision.${key}`,
    ]),
  );
  copyClipKeys(edit, { ...commonVisionKeys, ...others });
  const numberOf = (key: string, fallback: number): number =>
    edit.source.number(`nemotron_h_omni.vision.${key}`) ?? fallback;
  const width = numberOf('embedding_length', 1280);
  const imageSize = numberOf('image_size', 512);
  const patchSize = numberOf('patch_size', 16);
  const channels = numberOf('num_channels', 3);
  edit.setDefaults({
    'clip.vision.block_count': u32Entry(32),
    'clip.vision.embedding_length': u32Entry(width),
    'clip.vision.feed_forward_length': u32Entry(4 * width),
    'clip.vision.attention.head_count': u32Entry(16),
    'clip.vision.attention.layer_norm_epsilon': f32Entry(1e-6),
    'clip.vision.patch_size': u32Entry(patchSize),
    'clip.vision.image_size': u32Entry(imageSize),
    'clip.vision.num_channels': u32Entry(channels),
    'clip.vision.projector.scale_factor': u32Entry(2),
    'clip.vision.projector_type': textEntry('nemotron_v2_vl'),
    'clip.has_audio_encoder': flagEntry(false),
  });
  describeClip(edit, { type: 'nemotron_v2_vl', mean: clipMean, deviation: clipDeviation });
  edit.rename('v.cls_embd', 'v.class_embd');
  edit.toF32('v.class_embd');
  edit.rename('v.position_embd', 'v.position_embd.weight');
  resizePositions(edit, width, Math.floor(imageSize / patchSize));
  const patches = edit.tensor('v.patch_embd.weight');
  if (patches?.shape.length === 2 && patches.shape[0] === patchSize * patchSize * channels) {
    edit.replace(patches.name, { shape: [patchSize, patchSize, channels, patches.shape[1] ?? 0] });
    edit.toF32(patches.name);
  }
  edit.rename('mm.norm.weight', 'mm.model.mlp.0.weight');
  edit.rename('mm.1.weight', 'mm.model.mlp.1.weight');
  edit.rename('mm.2.weight', 'mm.model.mlp.3.weight');
}

/** The files have the positions of the largest image. llama.cpp needs those of the usual size. */
function resizePositions(edit: HeaderEdit, width: number, side: number): void {
  const tensor = edit.tensor('v.position_embd.weight');
  const count = tensor === undefined ? 0 : elementsOf(tensor) / width;
  const sourceSide = Math.round(Math.sqrt(count));
  if (tensor === undefined || side < 1 || sourceSide ** 2 !== count) return;
  // The positions of some files are the faster dimension.
  const byColumn = tensor.shape.find((size) => size > 1) !== width;
  edit.replace(tensor.name, {
    shape: [width, side * side],
    type: f32Type,
    data: {
      ...tensor.data,
      compute: (source) =>
        bytesOfFloats(resizeGrid(toFloats(source, tensor.type), { width, from: sourceSide, to: side, byColumn })),
    },
  });
}

function elementsOf({ shape }: TranslatedTensor): number {
  return shape.reduce((product, size) => product * size, 1);
}

export const nemotronRows: readonly DialectRow[] = [nemotronMoe, nemotronOmni];
