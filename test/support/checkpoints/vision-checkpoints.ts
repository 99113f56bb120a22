// Small checkpoints with image encoders, with the names of the published models. test/reference compares their projectors with
// those of llama.cpp's converter.

import { publishedSpecials } from './reference-tokenizers.ts';
import { bytePairFiles, type Files } from './tokenizers.ts';
import { encodeSafetensors, type Weights } from './write-safetensors.ts';

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const [textWidth, textInner, vocabulary] = [64, 96, 288];
const [width, inner, patch, image, layers] = [32, 48, 8, 64, 2];
const qwenLayers = 4;
const colors = { image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.25, 0.125] };

const text = {
  hidden_size: textWidth,
  intermediate_size: textInner,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  vocab_size: vocabulary,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-5,
  bos_token_id: 1,
  eos_token_id: 2,
};
const siglip = {
  hidden_size: width,
  intermediate_size: inner,
  num_hidden_layers: layers,
  num_attention_heads: 4,
  image_size: image,
  patch_size: patch,
};

type Named = readonly [name: string, ...shape: number[]];

const weights = (type: Weights['type'], tensors: readonly Named[]): Weights[] =>
  tensors.map(([name, ...shape]) => ({ name, shape, type }));
/** A matrix and its bias. */
const linear = (name: string, outputs: number, ...inputs: readonly number[]): Named[] => [
  [`${name}.weight`, outputs, ...inputs],
  [`${name}.bias`, outputs],
];
const norm = (name: string): Named[] => linear(name, width);

function textTensors(prefix: string, { bias = false } = {}): Named[] {
  const layer = `${prefix}layers.0`;
  const attention = (part: string, rows: number): Named[] =>
    bias
      ? linear(`${layer}.self_attn.${part}`, rows, textWidth)
      : [[`${layer}.self_attn.${part}.weight`, rows, textWidth]];
  return [
    [`${prefix}embed_tokens.weight`, vocabulary, textWidth],
    [`${prefix}norm.weight`, textWidth],
    [`${layer}.input_layernorm.weight`, textWidth],
    [`${layer}.post_attention_layernorm.weight`, textWidth],
    ...attention('q_proj', textWidth),
    ...attention('k_proj', textWidth / 2),
    ...attention('v_proj', textWidth / 2),
    [`${layer}.self_attn.o_proj.weight`, textWidth, textWidth],
    [`${layer}.mlp.gate_proj.weight`, textInner, textWidth],
    [`${layer}.mlp.up_proj.weight`, textInner, textWidth],
    [`${layer}.mlp.down_proj.weight`, textWidth, textInner],
    ['lm_head.weight', vocabulary, textWidth],
  ];
}

function siglipTensors(prefix: string): Named[] {
  const ofLayer = (layer: string): Named[] => [
    ...norm(`${layer}.layer_norm1`),
    ...norm(`${layer}.layer_norm2`),
    ...['q_proj', 'k_proj', 'v_proj', 'out_proj'].flatMap((part) => linear(`${layer}.self_attn.${part}`, width, width)),
    ...linear(`${layer}.mlp.fc1`, inner, width),
    ...linear(`${layer}.mlp.fc2`, width, inner),
  ];
  return [
    ...linear(`${prefix}.embeddings.patch_embedding`, width, 3, patch, patch),
    [`${prefix}.embeddings.position_embedding.weight`, (image / patch) ** 2, width],
    ...norm(`${prefix}.post_layernorm`),
    ...Array.from({ length: layers }, (_, layer) => ofLayer(`${prefix}.encoder.layers.${layer}`)).flat(),
  ];
}

function qwenTensors(): Named[] {
  const ofLayer = (layer: string): Named[] => [
    [`${layer}.norm1.weight`, width],
    [`${layer}.norm2.weight`, width],
    ...linear(`${layer}.attn.qkv`, 3 * width, width),
    ...linear(`${layer}.attn.proj`, width, width),
    ...linear(`${layer}.mlp.gate_proj`, inner, width),
    ...linear(`${layer}.mlp.up_proj`, inner, width),
    ...linear(`${layer}.mlp.down_proj`, width, inner),
  ];
  return [
    ['visual.patch_embed.proj.weight', width, 3, 2, patch, patch],
    ['visual.merger.ln_q.weight', width],
    ...linear('visual.merger.mlp.0', 4 * width, 4 * width),
    ...linear('visual.merger.mlp.2', textWidth, 4 * width),
    ...Array.from({ length: qwenLayers }, (_, layer) => ofLayer(`visual.blocks.${layer}`)).flat(),
  ];
}

const tokenizer = (specials: readonly string[] = []): Files =>
  bytePairFiles({ pre: 'qwen2', specials: [...publishedSpecials, ...specials] });
/** llama.cpp puts them around the parts of an image. The first one is a merge in published vocabularies. */
const imageTokens = [
  '\n\n',
  '<fake_token_around_image>',
  '<global-img>',
  ...['<row_1_col_1>', '<row_1_col_2>', '<row_2_col_1>', '<row_2_col_2>'],
];
const scale = 4;

export const visionCheckpoints: Readonly<Record<string, () => Files>> = {
  smolvlm: () => ({
    'config.json': json({
      architectures: ['SmolVLMForConditionalGeneration'],
      model_type: 'smolvlm',
      scale_factor: scale,
      text_config: { ...text, model_type: 'llama', architectures: ['VLlama3ForCausalLM'] },
      vision_config: { ...siglip, model_type: 'smolvlm_vision' },
    }),
    'preprocessor_config.json': json({ ...colors, size: { longest_edge: 2 * image } }),
    ...tokenizer(imageTokens),
    'model.safetensors': encodeSafetensors(
      weights('BF16', [
        ...textTensors('model.text_model.'),
        ...siglipTensors('model.vision_model'),
        ['model.connector.modality_projection.proj.weight', textWidth, scale ** 2 * width],
      ]),
    ),
  }),
  'gemma-3': () => ({
    'config.json': json({
      architectures: ['Gemma3ForConditionalGeneration'],
      model_type: 'gemma3',
      text_config: { ...text, model_type: 'gemma3_text' },
      vision_config: { ...siglip, model_type: 'siglip_vision_model' },
    }),
    'preprocessor_config.json': json({ ...colors, image_seq_length: 16 }),
    'model.safetensors': encodeSafetensors(
      weights('BF16', [
        ...siglipTensors('vision_tower.vision_model'),
        ['multi_modal_projector.mm_input_projection_weight', width, textWidth],
        ['multi_modal_projector.mm_soft_emb_norm.weight', width],
        ['language_model.model.embed_tokens.weight', vocabulary, textWidth],
      ]),
    ),
  }),
  'qwen-2.5-vl': () => ({
    'config.json': json({
      ...text,
      architectures: ['Qwen2_5_VLForConditionalGeneration'],
      model_type: 'qwen2_5_vl',
      rope_scaling: { type: 'mrope', mrope_section: [2, 3, 3] },
      vision_config: {
        hidden_size: width,
        intermediate_size: inner,
        depth: qwenLayers,
        num_heads: 4,
        patch_size: patch,
        out_hidden_size: textWidth,
        fullatt_block_indexes: [1, 3],
      },
    }),
    'preprocessor_config.json': json(colors),
    ...tokenizer(),
    'model.safetensors': encodeSafetensors(
      weights('F16', [...textTensors('model.', { bias: true }), ...qwenTensors()]),
    ),
  }),
};

/** Those with a text model, too. */
export const wholeVisionCheckpoints = ['smolvlm', 'qwen-2.5-vl'];
