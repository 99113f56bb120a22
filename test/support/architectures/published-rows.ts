// The rows of Ollama's dialect: for each one, a tiny model in llama.cpp's dialect and the same weights as Ollama published
// such models.

import { vocabulary as pieces } from '../models/tiny-memories.ts';
import { decoders } from './decoders.ts';
import { projectors } from './projectors.ts';
import { cutInto, PublishedFile, unpairRows } from './published-file.ts';
import {
  f32,
  flag,
  i32s,
  randomTensor,
  type TinyModel,
  type TinyTensor,
  text,
  u32,
  vocabulary,
  width,
} from './tiny-model.ts';

export interface PublishedRow {
  /** The architecture in the published file, or the row. */
  readonly name: string;
  /** As the table of the dialect names it. */
  readonly row: string;
  readonly plain: TinyModel;
  readonly projector?: TinyModel;
  readonly published: TinyModel;
  /** Absent: the projector is part of `published`. */
  readonly publishedProjector?: TinyModel;
}

const visionKeys = {
  'vision.block_count': 'vision.block_count',
  'vision.embedding_length': 'vision.embedding_length',
  'vision.feed_forward_length': 'vision.feed_forward_length',
  'vision.attention.head_count': 'vision.attention.head_count',
  'vision.attention.layer_norm_epsilon': 'vision.attention.layer_norm_epsilon',
  'vision.image_size': 'vision.image_size',
  'vision.patch_size': 'vision.patch_size',
  'vision.num_channels': 'vision.num_channels',
  'vision.spatial_merge_size': 'vision.spatial_merge_size',
};
const { 'vision.feed_forward_length': _, 'vision.image_size': __, ...mergerKeys } = visionKeys;

const mergerNames = [
  [/^v\.position_embd/, 'v.pos_embed'],
  [/^v\.patch_embd/, 'v.patch_embed'],
  [/^v\.post_ln/, 'v.merger.norm'],
  [/^mm\.0/, 'v.merger.linear_fc1'],
  [/^mm\.2/, 'v.merger.linear_fc2'],
  [/\.ffn_up/, '.mlp.linear_fc1'],
  [/\.ffn_down/, '.mlp.linear_fc2'],
  [/\.ln1/, '.norm1'],
  [/\.ln2/, '.norm2'],
  [/^v\.deepstack\.1\.fc/, 'v.deepstack_merger.0.linear_fc'],
  [/^v\.deepstack\.1\./, 'v.deepstack_merger.0.'],
] as const;

/** The convolutions of two frames as one, with output and input channels in one dimension. */
function joinFrames(projector: TinyModel): (tensor: TinyTensor) => TinyTensor[] {
  return (first) => {
    const second = projector.tensors.find(({ name }) => name === 'v.patch_embd.weight.1') as TinyTensor;
    const [side = 1, , channels = 1, out = 1] = first.shape;
    const size = side * side;
    const values = new Float32Array(2 * first.values.length);
    for (let index = 0; index < channels * out; index++) {
      values.set(first.values.subarray(index * size, (index + 1) * size), 2 * index * size);
      values.set(second.values.subarray(index * size, (index + 1) * size), (2 * index + 1) * size);
    }
    return [{ ...first, type: 'F16', shape: [side, side, 2, channels * out], values }];
  };
}

function embedMerger(file: PublishedFile, projector: TinyModel, architecture: string): PublishedFile {
  return file.embed(projector, architecture, mergerKeys, (own) =>
    own
      .split(/^v\.patch_embd\.weight$/, joinFrames(projector))
      .drop(/^v\.patch_embd\.weight\.1$/)
      .split(/attn_qkv/, cutInto(['attn_q', 'attn_k', 'attn_v']))
      .halve(/^v\.blk\.1\.attn_[qk]\.weight|position_embd/)
      .rename(...mergerNames),
  );
}

/** More tokens than the embeddings have. */
const extraTokens = {
  'tokenizer.ggml.tokens': { type: 'strings', value: [...vocabulary, '<image_soft_token>'] },
  'tokenizer.ggml.token_type': i32s(...listOf(decoders.gemma3()), 3),
} as const;

function listOf({ keys }: TinyModel): number[] {
  const entry = keys['tokenizer.ggml.token_type'];
  return entry?.type === 'i32s' ? Array.from(entry.value) : [];
}

/** The bytes are not marked as such. */
const pieceKeys = {
  'tokenizer.ggml.tokens': { type: 'strings', value: [...pieces, '<image_soft_token>'] },
  'tokenizer.ggml.scores': { type: 'f32s', value: [...pieces, ''].map(() => 0) },
  'tokenizer.ggml.token_type': i32s(...listOf(decoders.gemma3n()).map((type) => (type === 6 ? 1 : type)), 3),
} as const;

function addRow(tensor: TinyTensor): TinyTensor {
  const [row = 0, rows = 0] = tensor.shape;
  const values = new Float32Array(tensor.values.length + row);
  values.set(tensor.values);
  return { ...tensor, shape: [row, rows + 1], values };
}

function publish(
  row: string,
  plain: TinyModel,
  edit: (file: PublishedFile) => void,
  projector?: TinyModel,
): PublishedRow {
  const file = new PublishedFile(plain);
  edit(file);
  return { name: row, row, plain, projector, published: file.result() };
}

const textRows = (): PublishedRow[] => [
  publish('gptoss', decoders['gpt-oss'](), (file) =>
    file
      .architecture('gpt-oss', 'gptoss')
      .without('gptoss.expert_feed_forward_length', 'gptoss.rope.scaling.type')
      .set({ 'tokenizer.ggml.pre': text('default') })
      .rename(
        [/\.attn_output/, '.attn_out'],
        [/\.attn_sinks\.weight/, '.attn_sinks'],
        [/\.post_attention_norm/, '.ffn_norm'],
      ),
  ),
  publish('olmo3', decoders.olmo2(), (file) => file.architecture('olmo2', 'olmo3')),
  publish('lfm2', decoders.lfm2(), (file) =>
    file
      .set({ 'tokenizer.ggml.pre': text('default'), 'lfm2.feed_forward_length': u32(12_288) })
      .rename([/^token_embd_norm/, 'output_norm']),
  ),
  publish('qwen3next', decoders.qwen3next(), (file) =>
    file.set({ 'qwen3next.attention.head_count_kv': i32s(0, 0, 0, 2) }).rename([/\.ssm_dt\.bias/, '.ssm_dt']),
  ),
  publish('laguna', decoders.laguna(), (file) =>
    file
      .renameKey('laguna.rope.dimension_count_swa', 'laguna.rope.swa.dimension_count')
      .renameKey('laguna.rope.freq_base_swa', 'laguna.rope.swa.freq_base')
      .rename([/\.attn_gate\.weight/, '.attn_g.weight']),
  ),
  publish('glm4moelite', decoders.deepseek2(), (file) =>
    file
      .architecture('deepseek2', 'glm4moelite')
      .without(
        'glm4moelite.expert_group_count',
        'glm4moelite.expert_group_used_count',
        'tokenizer.ggml.eot_token_id',
        'tokenizer.ggml.eom_token_id',
      )
      .set({
        'glm4moelite.attention.head_count_kv': u32(4),
        'glm4moelite.attention.key_length': u32(16),
        'glm4moelite.attention.value_length': u32(16),
        'glm4moelite.attention.key_length_mla': u32(40),
        'glm4moelite.attention.value_length_mla': u32(32),
        'tokenizer.ggml.pre': text('default'),
        'tokenizer.ggml.eos_token_ids': i32s(2, 3, 4),
      }),
  ),
  publish('nemotron_h_moe', decoders.nemotron_h_moe(), (file) =>
    file
      .without('nemotron_h_moe.moe_latent_size')
      .rename([/ffn_latent_down/, 'ffn_latent_in'], [/ffn_latent_up/, 'ffn_latent_out'])
      .addForeign('mtp.layers.0.mixer.experts.0.up_proj.weight', width, width),
  ),
  publish('embeddinggemma', decoders['gemma-embedding'](), (file) =>
    file
      .architecture('gemma-embedding', 'gemma3')
      .without(
        ...['dense_2_feat_in', 'dense_2_feat_out', 'dense_3_feat_in', 'dense_3_feat_out', 'rope.freq_base_swa'].map(
          (key) => `gemma3.${key}`,
        ),
      )
      .set({ 'gemma3.attention.causal': flag(false) })
      .rename([/^dense_2/, 'dense.0'], [/^dense_3/, 'dense.1'], [/^output_norm/, 'norm']),
  ),
  publish('gemma3n', decoders.gemma3n(), (file) =>
    file
      .set(pieceKeys)
      .without('tokenizer.ggml.eos_token_ids')
      .split(/^token_embd\.weight/, (tensor) => [addRow(tensor)])
      .addForeign('v.anything.weight', width),
  ),
];

function gemma3(): PublishedRow {
  const projector = projectors.gemma3();
  return publish(
    'gemma3',
    decoders.gemma3(),
    (file) =>
      file
        .without('gemma3.attention.layer_norm_rms_epsilon')
        .renameKey('gemma3.rope.freq_base', 'gemma3.rope.global.freq_base')
        .renameKey('gemma3.rope.freq_base_swa', 'gemma3.rope.local.freq_base')
        .set({ ...extraTokens, 'gemma3.mm.tokens_per_image': u32(4) })
        .embed(projector, 'gemma3', visionKeys, (own) =>
          own
            .halve(/patch_embd\.weight|position_embd/)
            .rename(
              [/^v\.patch_embd/, 'v.patch_embedding'],
              [/^v\.position_embd/, 'v.position_embedding'],
              [/^v\.post_ln/, 'v.post_layernorm'],
              [/\.ln1/, '.layer_norm1'],
              [/\.ln2/, '.layer_norm2'],
              [/\.attn_out/, '.attn_output'],
              [/\.ffn_down/, '.mlp.fc1'],
              [/\.ffn_up/, '.mlp.fc2'],
              [/^mm\./, 'mm.mm_'],
            ),
        ),
    projector,
  );
}

function gemma4(): PublishedRow {
  const projector = projectors.gemma4();
  const { 'vision.image_size': _, ...keys } = visionKeys;
  return publish(
    'gemma4',
    decoders.gemma4(),
    (file) =>
      file
        .set({ 'tokenizer.ggml.model': text('llama') })
        .rename([/\.ffn_down_exps\.scale/, '.ffn_gate_inp.per_expert_scale'])
        .embed(projector, 'gemma4', keys, (own) => own.halve(/patch_embd/))
        .addForeign('model.vision_tower.anything', width),
    projector,
  );
}

function qwen25vl(): PublishedRow {
  const projector = projectors.qwen25vl();
  return publish(
    'qwen25vl',
    decoders.qwen2vl(),
    (file) =>
      file
        .architecture('qwen2vl', 'qwen25vl')
        .without('qwen25vl.rope.dimension_sections')
        .set({ 'qwen25vl.rope.mrope_section': i32s(2, 3, 3), 'qwen25vl.vision.fullatt_block_indexes': i32s(1) })
        .embed(projector, 'qwen25vl', { ...mergerKeys, 'vision.window_size': 'vision.window_size' }, (own) =>
          own
            .halve(/patch_embd/)
            .rename(
              [/^v\.patch_embd\.weight\.1/, 'v.patch_embd_1.weight'],
              [/^v\.patch_embd\.weight/, 'v.patch_embd_0.weight'],
              [/^v\.post_ln/, 'v.merger.ln_q'],
              [/^mm\./, 'v.merger.mlp.'],
            ),
        ),
    projector,
  );
}

function qwen3vl(name: 'qwen3vl' | 'qwen3vlmoe'): PublishedRow {
  const projector = projectors.qwen3vl();
  const row = publish(
    'qwen3vl',
    decoders[name](),
    (file) =>
      embedMerger(file.without(`${name}.rope.dimension_sections`, `${name}.n_deepstack_layers`), projector, name).set({
        [`${name}.vision.deepstack_visual_indexes`]: i32s(1),
      }),
    projector,
  );
  return { ...row, name };
}

function qwen35(name: 'qwen35' | 'qwen35moe'): PublishedRow {
  const projector = projectors.qwen35();
  const row = publish(
    'qwen35',
    decoders[name](),
    (file) =>
      embedMerger(file, projector, name)
        .set({
          [`${name}.attention.head_count_kv`]: i32s(0, 0, 0, 2),
          [`${name}.rope.dimension_sections`]: i32s(2, 3, 3),
          [`${name}.ssm.v_head_reordered`]: flag(true),
        })
        .rename([/\.ssm_dt\.bias/, '.ssm_dt'])
        .addForeign('mtp.fc.weight', width, width),
    projector,
  );
  return { ...row, name };
}

function mistral3(): PublishedRow {
  const plain = decoders.mistral3();
  const drawn = projectors.mistral3();
  const embeddings = plain.tensors.find(({ name }) => name === 'token_embd.weight') as TinyTensor;
  // The row of a token in the embeddings.
  const values = embeddings.values.slice(12 * width, 13 * width);
  const projector = {
    ...drawn,
    tensors: drawn.tensors.map((tensor) => (tensor.name === 'v.token_embd.img_break' ? { ...tensor, values } : tensor)),
  };
  return publish(
    'mistral3',
    plain,
    (file) =>
      file
        .renameKey('mistral3.rope.scaling.yarn_beta_fast', 'mistral3.rope.scaling.beta_fast')
        .renameKey('mistral3.rope.scaling.yarn_beta_slow', 'mistral3.rope.scaling.beta_slow')
        .renameKey('mistral3.rope.scaling.yarn_log_multiplier', 'mistral3.rope.scaling.mscale_all_dim')
        .renameKey('mistral3.attention.temperature_scale', 'mistral3.rope.scaling_beta')
        .without('tokenizer.ggml.pre')
        .embed(
          projector,
          'mistral3',
          {
            ...visionKeys,
            'vision.attention.layer_norm_epsilon': 'unused',
            'vision.spatial_merge_size': 'spatial_merge_size',
            'rope.freq_base': 'vision.rope.freq_base',
          },
          (own) =>
            own
              .drop(/img_break/)
              .split(/attn_[qk]\.weight/, unpairRows(2))
              .halve(/patch_embd|attn_[qk]/)
              .rename(
                [/^v\.patch_embd/, 'v.patch_conv'],
                [/^v\.pre_ln/, 'v.encoder_norm'],
                [/\.attn_out/, '.attn_output'],
                [/\.ln1/, '.attn_norm'],
                [/\.ln2/, '.ffn_norm'],
                [/^mm\.1/, 'mm.linear_1'],
                [/^mm\.2/, 'mm.linear_2'],
                [/^mm\.patch_merger/, 'mm.patch_merger.merging_layer'],
                [/^mm\.input_norm/, 'mm.norm'],
              ),
        ),
    {
      ...projector,
      tensors: projector.tensors.map((tensor) =>
        /attn_[qk]\.weight/.test(tensor.name) ? { ...tensor, type: 'F16' } : tensor,
      ),
    },
  );
}

function llama4(): PublishedRow {
  const projector = projectors.llama4();
  return publish(
    'llama4',
    decoders.llama4(),
    (file) =>
      file
        .set({ 'llama4.vision.pixel_shuffle_ratio': f32(0.5) })
        .embed(
          projector,
          'llama4',
          { ...visionKeys, 'vision.attention.layer_norm_epsilon': 'vision.layer_norm_epsilon' },
          (own) =>
            own.rename(
              [/^mm\.model\.mlp\.1/, 'v.vision_adapter.mlp.fc1'],
              [/^mm\.model\.mlp\.2/, 'v.vision_adapter.mlp.fc2'],
              [/^mm\.model\.fc/, 'mm.linear_1'],
              [/^v\.class_embd/, 'v.class_embedding'],
              [/^v\.post_ln/, 'v.layernorm_post'],
              [/^v\.pre_ln/, 'v.layernorm_pre'],
              [/^v\.patch_embd/, 'v.patch_embedding'],
              [/^v\.position_embd\.weight/, 'v.positional_embedding_vlm'],
              [/\.attn_out/, '.attn_output'],
              [/\.ln1/, '.attn_norm'],
              [/\.ln2/, '.ffn_norm'],
              [/\.ffn_up/, '.mlp.fc1'],
              [/\.ffn_down/, '.mlp.fc2'],
            ),
        ),
    projector,
  );
}

function glmOcr(): PublishedRow {
  const projector = projectors.glmocr();
  return publish('glmocr', decoders.glm4(), (file) => publishGlmOcr(file, projector), projector);
}

function publishGlmOcr(file: PublishedFile, projector: TinyModel): PublishedFile {
  const { 'vision.feed_forward_length': _, 'vision.attention.layer_norm_epsilon': __, ...keys } = visionKeys;
  const own = {
    ...keys,
    'vision.feed_forward_length': 'vision.intermediate_size',
    'vision.attention.layer_norm_epsilon': 'vision.attention.layer_norm_rms_epsilon',
    'vision.projection_dim': 'vision.out_hidden_size',
    'vision.image_mean': 'vision.image_mean',
    'vision.image_std': 'vision.image_std',
  };
  return file
    .architecture('glm4', 'glmocr')
    .without('glmocr.rope.dimension_sections', 'glmocr.rope.dimension_count')
    .set({ 'glmocr.rope.mrope_section': i32s(2, 3, 3), 'tokenizer.ggml.pre': text('llama-bpe') })
    .split(/ffn_up/, cutInto(['ffn_gate', 'ffn_up']))
    .rename(
      [/\.attn_output\./, '.attn_out.'],
      [/\.post_attention_norm\./, '.post_attn_norm.'],
      [/\.post_ffw_norm\./, '.post_ffn_norm.'],
    )
    .embed(projector, 'glmocr', own, (encoder) =>
      encoder
        .halve(/patch_embd\.weight/)
        .rename(
          [/^v\.patch_embd\.weight\.1/, 'v.patch_embd_1.weight'],
          [/^v\.patch_embd\.weight/, 'v.patch_embd_0.weight'],
        ),
    );
}

function deepseekOcr(): PublishedRow {
  return publish('deepseekocr', decoders['deepseek2-ocr'](), (file) =>
    file
      .architecture('deepseek2-ocr', 'deepseekocr')
      .without(
        'deepseekocr.expert_feed_forward_length',
        'deepseekocr.expert_shared_count',
        'deepseekocr.attention.layer_norm_rms_epsilon',
      ),
  );
}

export function publishedRows(): PublishedRow[] {
  return [
    ...textRows(),
    gemma3(),
    gemma4(),
    qwen25vl(),
    qwen3vl('qwen3vl'),
    qwen3vl('qwen3vlmoe'),
    qwen35('qwen35'),
    qwen35('qwen35moe'),
    mistral3(),
    llama4(),
    glmOcr(),
    deepseekOcr(),
    nemotronOmni(),
  ];
}

function nemotronOmni(): PublishedRow {
  const projector = projectors.nemotron();
  const own = { ...visionKeys, 'vision.projector.scale_factor': 'vision.projector.scale_factor' };
  return publish(
    'nemotron_h_omni',
    decoders.nemotron_h_moe(),
    (file) =>
      file
        .architecture('nemotron_h_moe', 'nemotron_h_omni')
        .without('nemotron_h_omni.moe_latent_size')
        .rename([/ffn_latent_down/, 'ffn_latent_in'], [/ffn_latent_up/, 'ffn_latent_out'])
        .embed(projector, 'nemotron_h_omni', own, (encoder) =>
          encoder
            .split(/^v\.patch_embd/, (tensor) => [
              { ...tensor, type: 'F16', shape: [tensor.values.length / width, width] },
            ])
            .halve(/position_embd|class_embd/)
            .rename(
              [/^v\.class_embd/, 'v.cls_embd'],
              [/^v\.position_embd\.weight/, 'v.position_embd'],
              [/^mm\.model\.mlp\.0/, 'mm.norm'],
              [/^mm\.model\.mlp\.1/, 'mm.1'],
              [/^mm\.model\.mlp\.3/, 'mm.2'],
            ),
        )
        .addForeign('a.anything.weight', width)
        .addForeign('mm.a.fc.weight', width),
    projector,
  );
}

/** A vocabulary of the usual size, which takes time. */
function llama3(): PublishedRow {
  const { keys, tensors } = decoders.llama();
  const tokens = Array.from({ length: 128_256 }, (_, index) => vocabulary[index] ?? `<|token ${index}|>`);
  tokens[128_006] = '<|start_header_id|>';
  tokens[128_009] = '<|eot_id|>';
  const plain = {
    keys: {
      ...keys,
      'tokenizer.ggml.pre': text('llama-bpe'),
      'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
      'tokenizer.ggml.token_type': {
        type: 'i32s',
        value: tokens.map((token) => (token.length > 1 && !token.startsWith('<|token') ? 3 : 1)),
      },
      'tokenizer.ggml.eos_token_id': u32(128_009),
      'tokenizer.ggml.eot_token_id': u32(128_009),
    },
    tensors: tensors.map((tensor) =>
      /^(?:token_embd|output)\.weight/.test(tensor.name) ? randomTensor(tensor.name, [width, tokens.length]) : tensor,
    ),
  } satisfies TinyModel;
  return publish('llama3', plain, (file) =>
    file
      .without('tokenizer.ggml.pre', 'tokenizer.ggml.eot_token_id')
      .set({ 'tokenizer.ggml.eos_token_id': u32(128_001) }),
  );
}

function llava(): PublishedRow {
  const projector = projectors.llava();
  const plain = decoders.llama();
  const publishedProjector = new PublishedFile(projector).without('clip.projector_type').result();
  return { name: 'clip', row: 'clip', plain, projector, published: plain, publishedProjector };
}

/** Rows that are large, or that are about a projector. */
export function otherRows(): PublishedRow[] {
  return [llama3(), llava()];
}
