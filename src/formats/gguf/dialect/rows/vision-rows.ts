// Other models whose files have an image encoder next to the language model, and projectors of old LLaVA models.

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
  preTokenizer,
  textEntry,
  u32Entry,
  vision,
} from '../dialect-row.ts';
import { f32Type, type HeaderEdit } from '../header-edit.ts';
import { bytesOfFloats, canBeFloats, toFloats } from '../to-floats.ts';
import { lacksPreTokenizer } from './text-rows.ts';

const mistral3: DialectRow = {
  name: 'mistral3',
  architectures: ['mistral3'],
  applies: (header) =>
    header.hasTensor(...vision) ||
    ['rope.scaling.beta_fast', 'rope.scaling.mscale_all_dim', 'rope.scaling_beta'].some((key) =>
      header.has(`mistral3.${key}`),
    ),
  others: vision,
  editWeights(edit) {
    edit.move('mistral3.rope.scaling.beta_fast', 'mistral3.rope.scaling.yarn_beta_fast');
    edit.move('mistral3.rope.scaling.beta_slow', 'mistral3.rope.scaling.yarn_beta_slow');
    edit.move('mistral3.rope.scaling.mscale_all_dim', 'mistral3.rope.scaling.yarn_log_multiplier');
    edit.move('mistral3.rope.scaling_beta', 'mistral3.attention.temperature_scale');
    if (lacksPreTokenizer(edit.source)) edit.set(preTokenizer, textEntry('tekken'));
  },
  projector: {
    tensors: vision,
    edit(edit) {
      copyClipKeys(edit, {
        ...commonVisionKeys,
        'vision.spatial_merge_size': 'spatial_merge_size',
        'rope.freq_base': 'vision.rope.freq_base',
      });
      edit.setDefault('clip.vision.attention.layer_norm_epsilon', f32Entry(1e-5));
      describeClip(edit, { type: 'pixtral', activation: 'silu', mean: clipMean, deviation: clipDeviation });
      addRowEnd(edit);
      const heads = edit.source.number('mistral3.vision.attention.head_count') ?? 0;
      for (const block of blocksIn(edit.names(), /^v\.blk\.(\d+)\.attn_q\.weight$/))
        for (const letter of ['q', 'k']) pairRows(edit, `v.blk.${block}.attn_${letter}.weight`, heads);
      edit.replaceInNames([
        ['v.patch_conv', 'v.patch_embd'],
        ['v.encoder_norm', 'v.pre_ln'],
        ['.attn_output', '.attn_out'],
        ['.attn_norm', '.ln1'],
        ['.ffn_norm', '.ln2'],
        ['mm.linear_1', 'mm.1'],
        ['mm.linear_2', 'mm.2'],
        ['mm.patch_merger.merging_layer', 'mm.patch_merger'],
        ['mm.norm', 'mm.input_norm'],
      ]);
      edit.toF32('v.patch_embd.weight');
    },
  },
};

// The token [IMG_BREAK] in the vocabularies of Mistral.
const rowEndToken = 12;

/** The embedding of the token that ends a row of an image. */
function addRowEnd(edit: HeaderEdit): void {
  const embeddings = edit.source.tensor('token_embd.weight');
  const [width = 0, rows = 0] = embeddings?.shape ?? [];
  if (embeddings === undefined || rows <= rowEndToken) return;
  const { type } = embeddings;
  const bytes = embeddings.bytes / rows;
  const span = { offset: embeddings.offset + rowEndToken * bytes, bytes };
  edit.add({
    name: 'v.token_embd.img_break',
    shape: [width],
    type: f32Type,
    data: canBeFloats(type)
      ? { spans: [span], compute: (source) => bytesOfFloats(toFloats(source, type)) }
      : { spans: [], compute: () => Buffer.alloc(4 * width) },
  });
}

/** llama.cpp rotates neighbours: the two halves of each head are interleaved. Ollama did so only in the language model. */
function pairRows(edit: HeaderEdit, name: string, heads: number): void {
  const tensor = edit.tensor(name);
  const rows = tensor?.shape[1] ?? 0;
  const length = rows / heads;
  if (tensor === undefined || !Number.isInteger(length / 2)) return;
  edit.replace(name, {
    data: {
      ...tensor.data,
      compute(source) {
        const rowBytes = source.length / rows;
        const result = Buffer.allocUnsafe(source.length);
        for (let row = 0; row < rows; row++) {
          const place = row % length;
          const from = row - place + (place % 2) * (length / 2) + Math.floor(place / 2);
          source.copy(result, row * rowBytes, from * rowBytes, (from + 1) * rowBytes);
        }
        return result;
      },
    },
  });
}

const llama4: DialectRow = {
  name: 'llama4',
  architectures: ['llama4'],
  applies: (header) => header.hasTensor(...vision),
  others: vision,
  editWeights: () => {},
  projector: {
    tensors: vision,
    edit(edit) {
      copyClipKeys(edit, {
        ...commonVisionKeys,
        'vision.attention.layer_norm_epsilon': 'vision.layer_norm_epsilon',
      });
      const ratio = edit.source.number('llama4.vision.pixel_shuffle_ratio') ?? 0.5;
      edit.setDefault('clip.vision.projector.scale_factor', u32Entry(ratio > 0 ? Math.round(1 / ratio) || 2 : 2));
      describeClip(edit, { type: 'llama4' });
      edit.set('clip.vision.projector_type', textEntry('llama4'));
      edit.rename('v.positional_embedding_vlm', 'v.position_embd.weight');
      edit.replaceInNames([
        ['v.vision_adapter.mlp.fc1', 'mm.model.mlp.1'],
        ['v.vision_adapter.mlp.fc2', 'mm.model.mlp.2'],
        ['mm.linear_1', 'mm.model.fc'],
        ['v.class_embedding', 'v.class_embd'],
        ['v.layernorm_post', 'v.post_ln'],
        ['v.layernorm_pre', 'v.pre_ln'],
        ['v.patch_embedding', 'v.patch_embd'],
        ['.attn_output', '.attn_out'],
        ['.attn_norm', '.ln1'],
        ['.ffn_norm', '.ln2'],
        ['.mlp.fc1', '.ffn_up'],
        ['.mlp.fc2', '.ffn_down'],
      ]);
    },
  },
};

const deepseekOcr: DialectRow = {
  name: 'deepseekocr',
  architectures: ['deepseekocr'],
  others: ['s.', ...vision],
  editWeights(edit) {
    edit.renameArchitecture('deepseekocr', 'deepseek2-ocr');
    edit.setDefault('deepseek2-ocr.attention.layer_norm_rms_epsilon', f32Entry(1e-6));
    // The first layer has no experts.
    const width = edit.tensor('blk.1.ffn_down_exps.weight')?.shape[0];
    const shared = edit.tensor('blk.1.ffn_down_shexp.weight')?.shape[0];
    if (width === undefined) return;
    edit.setDefault('deepseek2-ocr.expert_feed_forward_length', u32Entry(width));
    if (shared !== undefined && width > 0)
      edit.setDefault('deepseek2-ocr.expert_shared_count', u32Entry(Math.floor(shared / width)));
  },
  projector: {
    tensors: ['v.', 's.', 'mm.'],
    edit(edit) {
      copyClipKeys(edit, {
        'vision.block_count': 'vision.block_count',
        'vision.embedding_length': 'vision.embedding_length',
        'vision.attention.head_count': 'vision.head_count',
        'vision.image_size': 'vision.image_size',
        'vision.patch_size': 'vision.patch_size',
        'vision.sam.block_count': 'sam.block_count',
        'vision.sam.embedding_length': 'sam.embedding_length',
        'vision.sam.head_count': 'sam.head_count',
        'vision.projection_dim': 'embedding_length',
      });
      edit.setDefaults({
        // llama.cpp takes the width from the tensors.
        'clip.vision.feed_forward_length': u32Entry(64),
        'clip.vision.projector.scale_factor': u32Entry(1),
        'clip.vision.window_size': u32Entry(14),
        'clip.vision.attention.layer_norm_epsilon': f32Entry(1e-6),
      });
      describeClip(edit, { type: 'deepseekocr' });
      edit.replaceInNames([
        [/^s\./, 'v.sam.'],
        [/^v\.sam\.position_embd$/, 'v.sam.pos_embd.weight'],
        ['.self_attn.out_proj', '.attn_out'],
        ['.self_attn.qkv_proj', '.attn_qkv'],
        ['.layer_norm1', '.ln1'],
        ['.layer_norm2', '.ln2'],
        ['.mlp.fc1', '.ffn_up'],
        ['.mlp.fc2', '.ffn_down'],
        // The spelling of the files.
        ['v.pre_layrnorm', 'v.pre_ln'],
        ['.attn.proj', '.attn.out'],
        ['.attn.rel_pos_h', '.attn.pos_h.weight'],
        ['.attn.rel_pos_w', '.attn.pos_w.weight'],
        ['.norm1', '.pre_ln'],
        ['.norm2', '.post_ln'],
        ['mm.layers', 'mm.model.fc'],
        ['mm.image_newline', 'v.image_newline'],
        ['mm.view_seperator', 'v.view_seperator'],
      ]);
      for (const name of ['v.patch_embd.weight', 'v.sam.patch_embd.weight', 'v.position_embd.weight']) edit.toF32(name);
    },
  },
};

const glmOcr: DialectRow = {
  name: 'glmocr',
  architectures: ['glmocr'],
  others: vision,
  editWeights(edit) {
    edit.renameArchitecture('glmocr', 'glm4');
    padSections(edit, 'glmocr.rope.mrope_section', 'glm4.rope.dimension_sections');
    edit.copy('glmocr.attention.key_length', 'glm4.rope.dimension_count');
    edit.set(preTokenizer, textEntry('chatglm-bpe'));
    edit.replaceInNames([
      ['.attn_out.', '.attn_output.'],
      ['.post_attn_norm.', '.post_attention_norm.'],
      ['.post_ffn_norm.', '.post_ffw_norm.'],
    ]);
    for (const block of blocksIn(edit.names(), /^blk\.(\d+)\.ffn_gate\.weight$/)) {
      const name = `blk.${block}.ffn_up.weight`;
      edit.join([`blk.${block}.ffn_gate.weight`, name], name);
    }
  },
  projector: {
    tensors: vision,
    edit(edit) {
      copyClipKeys(edit, {
        ...commonVisionKeys,
        'vision.feed_forward_length': 'vision.intermediate_size',
        'vision.attention.layer_norm_epsilon': 'vision.attention.layer_norm_rms_epsilon',
        'vision.projection_dim': 'vision.out_hidden_size',
        'vision.image_mean': 'vision.image_mean',
        'vision.image_std': 'vision.image_std',
      });
      describeClip(edit, { type: 'glm4v', activation: 'silu', mean: clipMean, deviation: clipDeviation });
      edit.rename('v.patch_embd_0.weight', 'v.patch_embd.weight');
      edit.rename('v.patch_embd_1.weight', 'v.patch_embd.weight.1');
      edit.toF32('v.patch_embd.weight');
      edit.toF32('v.patch_embd.weight.1');
    },
  },
};

export const visionRows: readonly DialectRow[] = [mistral3, llama4, deepseekOcr, glmOcr];
