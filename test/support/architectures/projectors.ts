// Image encoders in llama.cpp's dialect: keys and shapes of each kind.

import { f32, f32s, flag, type Keys, type Shapes, type TinyModel, text, tinyModel, u32, width } from './tiny-model.ts';

const inner = 96;
const layers = 2;
const patchSize = 14;
const patchesPerSide = 8;

const patch = [patchSize, patchSize, 3, width] as const;
const halves = f32s(0.5, 0.5, 0.5);
const clipMean = f32s(0.48145466, 0.4578275, 0.40821073);
const clipDeviation = f32s(0.26862954, 0.26130258, 0.27577711);

const both = (name: string, ...shape: readonly number[]): Shapes => [
  [`${name}.weight`, ...shape],
  [`${name}.bias`, shape.at(-1) ?? 0],
];
const weight = (name: string, ...shape: readonly number[]): Shapes => [[`${name}.weight`, ...shape]];
const blocks = (block: (name: (part: string) => string) => Shapes): Shapes =>
  Array.from({ length: layers }, (_, layer) => block((part) => `v.blk.${layer}.${part}`)).flat();
const attention = ['attn_q', 'attn_k', 'attn_v', 'attn_out'];

const common = (type: string, own: Keys): Keys => ({
  'general.type': text('mmproj'),
  'clip.has_vision_encoder': flag(true),
  'clip.projector_type': text(type),
  'clip.vision.block_count': u32(layers),
  'clip.vision.embedding_length': u32(width),
  'clip.vision.feed_forward_length': u32(inner),
  'clip.vision.attention.head_count': u32(2),
  'clip.vision.attention.layer_norm_epsilon': f32(1e-6),
  'clip.vision.image_size': u32(patchSize * patchesPerSide),
  'clip.vision.patch_size': u32(patchSize),
  'clip.vision.projection_dim': u32(width),
  'clip.vision.image_mean': halves,
  'clip.vision.image_std': halves,
  ...own,
});
const gelu: Keys = { 'clip.use_gelu': flag(true) };
const silu: Keys = {
  'clip.use_silu': flag(true),
  'clip.vision.image_mean': clipMean,
  'clip.vision.image_std': clipDeviation,
};

const plainBlocks = blocks((name) => [
  ...['ln1', 'ln2'].flatMap((part) => both(name(part), width)),
  ...attention.flatMap((part) => both(name(part), width, width)),
  ...both(name('ffn_up'), width, inner),
  ...both(name('ffn_down'), inner, width),
]);
const merger: Shapes = [...both('mm.0', 4 * width, 4 * width), ...both('mm.2', 4 * width, width)];

export const projectors = {
  gemma3: () =>
    tinyModel('clip', common('gemma3', gelu), [
      ...both('v.patch_embd', ...patch),
      ['v.position_embd.weight', width, patchesPerSide ** 2],
      ...both('v.post_ln', width),
      ...blocks((name) => [
        ...['ln1', 'ln2'].flatMap((part) => both(name(part), width)),
        ...attention.flatMap((part) => both(name(part), width, width)),
        // The other way round than elsewhere.
        ...both(name('ffn_down'), width, inner),
        ...both(name('ffn_up'), inner, width),
      ]),
      ['mm.input_projection.weight', width, width],
      ['mm.soft_emb_norm.weight', width],
    ]),
  qwen25vl: () =>
    tinyModel(
      'clip',
      common('qwen2.5vl_merger', {
        ...silu,
        'clip.vision.image_size': u32(560),
        'clip.vision.num_channels': u32(3),
        'clip.vision.spatial_merge_size': u32(2),
        'clip.vision.window_size': u32(56),
        'clip.vision.n_wa_pattern': u32(2),
      }),
      [
        ['v.patch_embd.weight', ...patch],
        ['v.patch_embd.weight.1', ...patch],
        ...weight('v.post_ln', width),
        ...blocks((name) => [
          ...weight(name('ln1'), width),
          ...weight(name('ln2'), width),
          ...attention.flatMap((part) => both(name(part), width, width)),
          ...both(name('ffn_gate'), width, inner),
          ...both(name('ffn_up'), width, inner),
          ...both(name('ffn_down'), inner, width),
        ]),
        ...merger,
      ],
    ),
  qwen3vl: () => withMerger(true),
  qwen35: () => withMerger(false),
  mistral3: () =>
    tinyModel(
      'clip',
      common('pixtral', {
        ...silu,
        'clip.vision.attention.layer_norm_epsilon': f32(1e-5),
        'clip.vision.num_channels': u32(3),
        'clip.vision.spatial_merge_size': u32(2),
        'clip.rope.freq_base': f32(10_000),
      }),
      [
        ['v.patch_embd.weight', ...patch],
        ...weight('v.pre_ln', width),
        ...blocks((name) => [
          ...weight(name('ln1'), width),
          ...weight(name('ln2'), width),
          ...attention.flatMap((part) => weight(name(part), width, width)),
          ...weight(name('ffn_gate'), width, inner),
          ...weight(name('ffn_up'), width, inner),
          ...weight(name('ffn_down'), inner, width),
        ]),
        ...weight('mm.1', width, width),
        ...weight('mm.2', width, width),
        ...weight('mm.input_norm', width),
        ...weight('mm.patch_merger', 4 * width, width),
        ['v.token_embd.img_break', width],
      ],
    ),
  llama4: () =>
    tinyModel(
      'clip',
      common('llama4', {
        ...gelu,
        'clip.vision.projector_type': text('llama4'),
        'clip.vision.projector.scale_factor': u32(2),
      }),
      [
        ['v.patch_embd.weight', patchSize * patchSize * 3, width],
        ['v.class_embd', width],
        ['v.position_embd.weight', width, patchesPerSide ** 2 + 1],
        ...both('v.pre_ln', width),
        ...both('v.post_ln', width),
        ...plainBlocks,
        ['mm.model.mlp.1.weight', 4 * width, 2 * width],
        ['mm.model.mlp.2.weight', 2 * width, 2 * width],
        ['mm.model.fc.weight', 2 * width, width],
      ],
    ),
  gemma4: () => {
    const { 'clip.projector_type': _, ...keys } = common('', {
      'clip.vision.projector_type': text('gemma4v'),
      'clip.vision.image_size': u32(224),
      'clip.vision.image_mean': f32s(0, 0, 0),
      'clip.vision.image_std': f32s(1, 1, 1),
    });
    return tinyModel('clip', keys, [
      ['v.patch_embd.weight', ...patch],
      ['v.position_embd.weight', width, 256, 2],
      ['v.std_bias', width],
      ['v.std_scale', width],
      ...blocks((name) => [
        ...['ln1', 'ln2', 'attn_post_norm', 'ffn_post_norm'].flatMap((part) => weight(name(part), width)),
        ...['attn_q_norm', 'attn_k_norm'].flatMap((part) => weight(name(part), width / 2)),
        ...attention.flatMap((part) => weight(name(part), width, width)),
        ...['ffn_gate', 'ffn_up'].flatMap((part) => weight(name(part), width, inner)),
        ...weight(name('ffn_down'), inner, width),
      ]),
      ['mm.input_projection.weight', width, width],
    ]);
  },
  glmocr: () =>
    tinyModel('clip', common('glm4v', { ...silu, 'clip.vision.spatial_merge_size': u32(2) }), [
      ...both('v.patch_embd', ...patch),
      ['v.patch_embd.weight.1', ...patch],
      ...weight('v.post_ln', width),
      ...blocks((name) => [
        ...['ln1', 'ln2'].flatMap((part) => weight(name(part), width)),
        ...['attn_q_norm', 'attn_k_norm'].flatMap((part) => weight(name(part), width / 2)),
        ...both(name('attn_qkv'), width, 3 * width),
        ...both(name('attn_out'), width, width),
        ...['ffn_gate', 'ffn_up'].flatMap((part) => both(name(part), width, inner)),
        ...both(name('ffn_down'), inner, width),
      ]),
      ...both('mm.patch_merger', 2, 2, width, width),
      ...weight('mm.model.fc', width, width),
      ...both('mm.post_norm', width),
      ...weight('mm.up', width, inner),
      ...weight('mm.gate', width, inner),
      ...weight('mm.down', inner, width),
    ]),
  nemotron: () =>
    tinyModel(
      'clip',
      common('nemotron_v2_vl', {
        ...gelu,
        'clip.vision.image_mean': clipMean,
        'clip.vision.image_std': clipDeviation,
        'clip.vision.projector_type': text('nemotron_v2_vl'),
        'clip.vision.projector.scale_factor': u32(2),
        'clip.vision.num_channels': u32(3),
        'clip.has_audio_encoder': flag(false),
      }),
      [
        ['v.patch_embd.weight', ...patch],
        ['v.class_embd', width, 2],
        ['v.position_embd.weight', width, patchesPerSide ** 2],
        ...plainBlocks,
        ['mm.model.mlp.0.weight', 4 * width],
        ['mm.model.mlp.1.weight', 4 * width, inner],
        ['mm.model.mlp.3.weight', inner, width],
      ],
    ),
  llava: () =>
    tinyModel('clip', common('mlp', gelu), [
      ['v.patch_embd.weight', ...patch],
      ['v.class_embd', width],
      ['v.position_embd.weight', width, patchesPerSide ** 2 + 1],
      ...both('v.pre_ln', width),
      ...plainBlocks,
      ...both('mm.0', width, inner),
      ...both('mm.2', inner, width),
    ]),
} satisfies Record<string, () => TinyModel>;

const mergerPatch = 16;
const deepLayer = 1;

function withMerger(isDeep: boolean): TinyModel {
  const deep = `v.deepstack.${deepLayer}`;
  return tinyModel(
    'clip',
    common('qwen3vl_merger', {
      ...gelu,
      'clip.vision.patch_size': u32(mergerPatch),
      'clip.vision.image_size': u32(mergerPatch * patchesPerSide),
      'clip.vision.num_channels': u32(3),
      'clip.vision.spatial_merge_size': u32(2),
      'clip.vision.temporal_patch_size': u32(2),
      'clip.vision.is_deepstack_layers': {
        type: 'bools',
        value: Array.from({ length: layers }, (_, layer) => isDeep && layer === deepLayer),
      },
    }),
    [
      ...both('v.patch_embd', mergerPatch, mergerPatch, 3, width),
      ['v.patch_embd.weight.1', mergerPatch, mergerPatch, 3, width],
      ['v.position_embd.weight', width, patchesPerSide ** 2],
      ...both('v.post_ln', width),
      ...blocks((name) => [
        ...['ln1', 'ln2'].flatMap((part) => both(name(part), width)),
        ...both(name('attn_qkv'), width, 3 * width),
        ...both(name('attn_out'), width, width),
        ...both(name('ffn_up'), width, inner),
        ...both(name('ffn_down'), inner, width),
      ]),
      ...(isDeep
        ? [
            ...both(`${deep}.norm`, 4 * width),
            ...both(`${deep}.fc1`, 4 * width, 4 * width),
            ...both(`${deep}.fc2`, 4 * width, width),
          ]
        : []),
      ...merger,
    ],
  );
}

export type ProjectorKind = keyof typeof projectors;
