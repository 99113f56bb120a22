// Language models in llama.cpp's dialect: keys and shapes of each architecture.

import { vocabulary as pieces, tokenizer as sentencePieces } from '../models/tiny-memories.ts';
import {
  eachLayer,
  f32,
  flag,
  headLength,
  heads,
  i32s,
  inner,
  type Keys,
  keyHeads,
  type Shapes,
  type TinyModel,
  text,
  tinyModel,
  tokenizer,
  u32,
  vocabulary,
  width,
} from './tiny-model.ts';

const all = heads * headLength;
const keys = keyHeads * headLength;
const experts = 4;
const expertWidth = 32;

const embedding: Shapes = [
  ['token_embd.weight', width, vocabulary.length],
  ['output_norm.weight', width],
];
const outer: Shapes = [...embedding, ['output.weight', width, vocabulary.length]];
const attention: Shapes = [
  ['attn_norm.weight', width],
  ['attn_q.weight', width, all],
  ['attn_k.weight', width, keys],
  ['attn_v.weight', width, keys],
  ['attn_output.weight', all, width],
];
const headNorms: Shapes = [
  ['attn_q_norm.weight', headLength],
  ['attn_k_norm.weight', headLength],
];
const feedForward: Shapes = [
  ['ffn_gate.weight', width, inner],
  ['ffn_up.weight', width, inner],
  ['ffn_down.weight', inner, width],
];
const feedForwardNorm: Shapes = [['ffn_norm.weight', width]];
const postNorms: Shapes = [
  ['post_attention_norm.weight', width],
  ['post_ffw_norm.weight', width],
];
const expertLayers: Shapes = [
  ['ffn_gate_inp.weight', width, experts],
  ['ffn_gate_exps.weight', width, expertWidth, experts],
  ['ffn_up_exps.weight', width, expertWidth, experts],
  ['ffn_down_exps.weight', expertWidth, width, experts],
];
const sharedExpert: Shapes = [
  ['ffn_gate_shexp.weight', width, expertWidth],
  ['ffn_up_shexp.weight', width, expertWidth],
  ['ffn_down_shexp.weight', expertWidth, width],
];

const common = (layers: number): Keys => ({
  '.block_count': u32(layers),
  '.context_length': u32(2048),
  '.embedding_length': u32(width),
  '.feed_forward_length': u32(inner),
  '.attention.head_count': u32(heads),
  '.attention.head_count_kv': u32(keyHeads),
  '.attention.key_length': u32(headLength),
  '.attention.value_length': u32(headLength),
  '.attention.layer_norm_rms_epsilon': f32(1e-6),
  '.rope.freq_base': f32(10_000),
  ...tokenizer,
});
const expertKeys: Keys = {
  '.expert_count': u32(experts),
  '.expert_used_count': u32(2),
  '.expert_feed_forward_length': u32(expertWidth),
};
const windowKeys: Keys = { '.attention.sliding_window': u32(8) };
const pre = (name: string): Keys => ({ 'tokenizer.ggml.pre': text(name) });

// Every fourth layer attends; the others have a state.
const stateLength = 16;
const keyGroups = 2;
const valueHeads = 4;
const stateKeys: Keys = {
  '.ssm.conv_kernel': u32(4),
  '.ssm.inner_size': u32(valueHeads * stateLength),
  '.ssm.state_size': u32(stateLength),
  '.ssm.time_step_rank': u32(valueHeads),
  '.ssm.group_count': u32(keyGroups),
  '.full_attention_interval': u32(4),
};
const stateWidth = 2 * keyGroups * stateLength + valueHeads * stateLength;
const stateLayer: Shapes = [
  ['attn_norm.weight', width],
  ['post_attention_norm.weight', width],
  ['attn_qkv.weight', width, stateWidth],
  ['attn_gate.weight', width, valueHeads * stateLength],
  ['ssm_conv1d.weight', 4, stateWidth],
  ['ssm_dt.bias', valueHeads],
  ['ssm_a', valueHeads],
  ['ssm_norm.weight', stateLength],
  ['ssm_out.weight', valueHeads * stateLength, width],
];
const gatedAttention: Shapes = [
  ['attn_norm.weight', width],
  ['post_attention_norm.weight', width],
  ['attn_q.weight', width, 2 * all],
  ['attn_k.weight', width, keys],
  ['attn_v.weight', width, keys],
  ['attn_output.weight', all, width],
  ...headNorms,
];
const attends = (layer: number): boolean => layer % 4 === 3;

// The sections of the published models need a head of this length.
const longHeads: Keys = {
  '.attention.key_length': u32(128),
  '.attention.value_length': u32(128),
  '.rope.dimension_sections': i32s(24, 20, 20, 0),
  '.n_deepstack_layers': u32(1),
};
const longAttention: Shapes = [
  ['attn_norm.weight', width],
  ['attn_q.weight', width, 128 * heads],
  ['attn_k.weight', width, 128 * keyHeads],
  ['attn_v.weight', width, 128 * keyHeads],
  ['attn_output.weight', 128 * heads, width],
  ['attn_q_norm.weight', 128],
  ['attn_k_norm.weight', 128],
];

const rank = 32;
const rotated = 8;
const plainLength = headLength - rotated;
const perLayer = 16;
const latent = 32;

const bothBiases = (name: string): Shapes => [[`${name}.bias`, experts]];

export const decoders = {
  llama: () =>
    tinyModel('llama', { ...common(2), '.rope.dimension_count': u32(headLength) }, [
      ...outer,
      ...eachLayer(2, () => [...attention, ...feedForwardNorm, ...feedForward]),
    ]),
  'gpt-oss': () =>
    tinyModel(
      'gpt-oss',
      {
        ...common(2),
        ...expertKeys,
        ...windowKeys,
        '.rope.scaling.type': text('yarn'),
        '.rope.scaling.factor': f32(4),
        '.rope.scaling.original_context_length': u32(512),
        ...pre('gpt-4o'),
      },
      [
        ...outer,
        ...eachLayer(2, () => [
          ...attention,
          ['attn_q.bias', all],
          ['attn_k.bias', keys],
          ['attn_v.bias', keys],
          ['attn_output.bias', width],
          ['attn_sinks.weight', heads],
          ['post_attention_norm.weight', width],
          ...expertLayers,
          ...bothBiases('ffn_gate_inp'),
          ['ffn_gate_exps.bias', expertWidth, experts],
          ['ffn_up_exps.bias', expertWidth, experts],
          ['ffn_down_exps.bias', width, experts],
        ]),
      ],
    ),
  olmo2: () =>
    tinyModel('olmo2', { ...common(4), ...windowKeys }, [
      ...outer,
      ...eachLayer(4, () => [
        ...attention.slice(1),
        ['attn_q_norm.weight', all],
        ['attn_k_norm.weight', keys],
        ...feedForward,
        ...postNorms,
      ]),
    ]),
  lfm2: () =>
    tinyModel(
      'lfm2',
      {
        ...common(4),
        '.attention.head_count_kv': i32s(0, keyHeads, 0, keyHeads),
        '.shortconv.l_cache': u32(3),
        ...pre('lfm2'),
      },
      [
        ['token_embd.weight', width, vocabulary.length],
        ['token_embd_norm.weight', width],
        ...eachLayer(4, (layer) => [
          ...feedForwardNorm,
          ...feedForward,
          ...(layer % 2 === 1
            ? [...attention, ...headNorms]
            : ([
                ['attn_norm.weight', width],
                ['shortconv.conv.weight', 3, width],
                ['shortconv.in_proj.weight', width, 3 * width],
                ['shortconv.out_proj.weight', width, width],
              ] as const)),
        ]),
      ],
    ),
  gemma3: () =>
    tinyModel(
      'gemma3',
      { ...common(6), ...windowKeys, '.rope.freq_base': f32(1_000_000), '.rope.freq_base_swa': f32(10_000) },
      [
        ...embedding,
        ...eachLayer(6, () => [...attention, ...headNorms, ...feedForwardNorm, ...feedForward, ...postNorms]),
      ],
    ),
  'gemma-embedding': () =>
    tinyModel(
      'gemma-embedding',
      {
        ...common(6),
        ...windowKeys,
        '.rope.freq_base_swa': f32(10_000),
        '.pooling_type': u32(1),
        '.dense_2_feat_in': u32(width),
        '.dense_2_feat_out': u32(128),
        '.dense_3_feat_in': u32(128),
        '.dense_3_feat_out': u32(width),
      },
      [
        ...embedding,
        ['dense_2.weight', width, 128],
        ['dense_3.weight', 128, width],
        ...eachLayer(6, () => [...attention, ...headNorms, ...feedForwardNorm, ...feedForward, ...postNorms]),
      ],
    ),
  gemma3n: () =>
    tinyModel(
      'gemma3n',
      { ...common(6), ...windowKeys, ...sentencePieces, 'tokenizer.ggml.eos_token_ids': i32s(1, 106) },
      [
        ['token_embd.weight', width, pieces.length],
        ['output_norm.weight', width],
        ['altup_proj.weight', width, width, 3],
        ['altup_unembd_proj.weight', width, width, 3],
        ['per_layer_token_embd.weight', 256 * 6, pieces.length],
        ['per_layer_model_proj.weight', width, 256 * 6],
        ['per_layer_proj_norm.weight', 256],
        ...eachLayer(6, () => [
          ...attention,
          ...headNorms,
          ...feedForwardNorm,
          ...feedForward,
          ...postNorms,
          ['inp_gate.weight', width, 256],
          ['proj.weight', 256, width],
          ['post_norm.weight', width],
          ['altup_correct_coef.weight', 4, 4],
          ['altup_correct_scale.weight', width],
          ['altup_predict_coef.weight', 4, 16],
          ['altup_router.weight', width, 4],
          ['altup_router_norm.weight', width],
          ['laurel_l.weight', width, 64],
          ['laurel_r.weight', 64, width],
          ['laurel_post_norm.weight', width],
        ]),
      ],
    ),
  gemma4: () =>
    tinyModel(
      'gemma4',
      {
        ...common(2),
        ...expertKeys,
        ...windowKeys,
        '.embedding_length_per_layer_input': u32(perLayer),
        '.attention.key_length_swa': u32(headLength),
        '.attention.value_length_swa': u32(headLength),
        '.attention.sliding_window_pattern': { type: 'bools', value: [true, false] },
        'tokenizer.ggml.model': text('gemma4'),
      },
      [
        ...embedding,
        ['rope_freqs.weight', headLength / 2],
        ['per_layer_token_embd.weight', perLayer * 2, vocabulary.length],
        ['per_layer_model_proj.weight', width, perLayer * 2],
        ['per_layer_proj_norm.weight', perLayer],
        ...eachLayer(2, () => [
          ...attention,
          ...headNorms,
          ...feedForwardNorm,
          ...feedForward,
          ...postNorms,
          ...expertLayers,
          ['ffn_gate_inp.scale', width],
          ['ffn_down_exps.scale', experts],
          ['pre_ffw_norm_2.weight', width],
          ['post_ffw_norm_1.weight', width],
          ['post_ffw_norm_2.weight', width],
          ['inp_gate.weight', width, perLayer],
          ['proj.weight', perLayer, width],
          ['post_norm.weight', width],
        ]),
      ],
    ),
  qwen2vl: () =>
    tinyModel('qwen2vl', { ...common(2), '.rope.dimension_sections': i32s(2, 3, 3, 0) }, [
      ...outer,
      ...eachLayer(2, () => [
        ...attention,
        ['attn_q.bias', all],
        ['attn_k.bias', keys],
        ['attn_v.bias', keys],
        ...feedForwardNorm,
        ...feedForward,
      ]),
    ]),
  qwen3vl: () =>
    tinyModel('qwen3vl', { ...common(2), ...longHeads }, [
      ...outer,
      ...eachLayer(2, () => [...longAttention, ...feedForwardNorm, ...feedForward]),
    ]),
  qwen35: () =>
    tinyModel('qwen35', { ...common(4), ...stateKeys, '.rope.dimension_sections': i32s(2, 3, 3, 0) }, [
      ...outer,
      ...eachLayer(4, (layer) => [
        ...(attends(layer)
          ? gatedAttention
          : ([
              ...stateLayer,
              ['ssm_beta.weight', width, valueHeads],
              ['ssm_alpha.weight', width, valueHeads],
            ] as const)),
        ...feedForward,
      ]),
    ]),
  qwen35moe: () =>
    tinyModel(
      'qwen35moe',
      {
        ...common(4),
        ...stateKeys,
        ...expertKeys,
        '.expert_shared_feed_forward_length': u32(expertWidth),
        '.rope.dimension_sections': i32s(2, 3, 3, 0),
      },
      [
        ...outer,
        ...eachLayer(4, (layer) => [
          ...(attends(layer)
            ? gatedAttention
            : ([
                ...stateLayer,
                ['ssm_beta.weight', width, valueHeads],
                ['ssm_alpha.weight', width, valueHeads],
              ] as const)),
          ...expertLayers,
          ['ffn_gate_inp_shexp.weight', width],
          ...sharedExpert,
        ]),
      ],
    ),
  qwen3vlmoe: () =>
    tinyModel('qwen3vlmoe', { ...common(2), ...expertKeys, ...longHeads }, [
      ...outer,
      ...eachLayer(2, () => [...longAttention, ...feedForwardNorm, ...expertLayers]),
    ]),
  qwen3next: () =>
    tinyModel(
      'qwen3next',
      { ...common(4), ...stateKeys, ...expertKeys, '.expert_shared_feed_forward_length': u32(expertWidth) },
      [
        ...outer,
        ...eachLayer(4, (layer) => [
          ...(attends(layer) ? gatedAttention : ([...stateLayer, ['ssm_ba.weight', width, 2 * valueHeads]] as const)),
          ...expertLayers,
          ['ffn_gate_inp_shexp.weight', width],
          ...sharedExpert,
        ]),
      ],
    ),
  mistral3: () =>
    tinyModel(
      'mistral3',
      {
        ...common(2),
        '.rope.dimension_count': u32(headLength),
        '.rope.scaling.type': text('yarn'),
        '.rope.scaling.factor': f32(4),
        '.rope.scaling.original_context_length': u32(64),
        '.rope.scaling.yarn_beta_fast': f32(16),
        '.rope.scaling.yarn_beta_slow': f32(2),
        '.rope.scaling.yarn_log_multiplier': f32(1),
        '.attention.temperature_scale': f32(0.1),
        ...pre('tekken'),
      },
      [...outer, ...eachLayer(2, () => [...attention, ...feedForwardNorm, ...feedForward])],
    ),
  llama4: () =>
    tinyModel(
      'llama4',
      {
        ...common(4),
        ...expertKeys,
        '.expert_used_count': u32(1),
        '.interleave_moe_layer_step': u32(2),
        '.rope.dimension_count': u32(headLength),
      },
      [
        ...outer,
        ...eachLayer(4, (layer) => [
          ...attention,
          ...feedForwardNorm,
          ...(layer % 2 === 1 ? [...expertLayers, ...sharedExpert] : feedForward),
        ]),
      ],
    ),
  glm4: () =>
    tinyModel(
      'glm4',
      {
        ...common(2),
        '.rope.dimension_count': u32(headLength),
        '.rope.dimension_sections': i32s(2, 3, 3, 0),
        ...pre('chatglm-bpe'),
      },
      [
        ...outer,
        ...eachLayer(2, () => [
          ...attention,
          ...feedForwardNorm,
          ['ffn_up.weight', width, 2 * inner],
          ['ffn_down.weight', inner, width],
          ...postNorms,
        ]),
      ],
    ),
  deepseek2: () =>
    tinyModel(
      'deepseek2',
      {
        ...common(2),
        ...expertKeys,
        '.leading_dense_block_count': u32(1),
        '.expert_shared_count': u32(1),
        '.expert_group_count': u32(1),
        '.expert_group_used_count': u32(1),
        '.attention.head_count_kv': u32(1),
        '.attention.q_lora_rank': u32(rank),
        '.attention.kv_lora_rank': u32(rank),
        '.rope.dimension_count': u32(rotated),
        '.attention.key_length': u32(rank + rotated),
        '.attention.value_length': u32(rank),
        '.attention.key_length_mla': u32(headLength),
        '.attention.value_length_mla': u32(headLength),
        ...pre('glm4'),
        'tokenizer.ggml.eot_token_id': u32(3),
        'tokenizer.ggml.eom_token_id': u32(4),
      },
      [
        ...outer,
        ...eachLayer(2, (layer) => [
          ['attn_norm.weight', width],
          ['attn_q_a.weight', width, rank],
          ['attn_q_a_norm.weight', rank],
          ['attn_q_b.weight', rank, all],
          ['attn_kv_a_mqa.weight', width, rank + rotated],
          ['attn_kv_a_norm.weight', rank],
          ['attn_k_b.weight', plainLength, rank, heads],
          ['attn_v_b.weight', rank, headLength, heads],
          ['attn_output.weight', all, width],
          ...feedForwardNorm,
          ...(layer === 0 ? feedForward : [...expertLayers, ...sharedExpert]),
        ]),
      ],
    ),
  'deepseek2-ocr': () =>
    tinyModel(
      'deepseek2-ocr',
      {
        ...common(2),
        ...expertKeys,
        '.attention.head_count_kv': u32(heads),
        '.leading_dense_block_count': u32(1),
        '.expert_shared_count': u32(2),
      },
      [
        ...outer,
        ...eachLayer(2, (layer) => [
          ['attn_norm.weight', width],
          ...['q', 'k', 'v'].map((letter) => [`attn_${letter}.weight`, width, all] as const),
          ['attn_output.weight', all, width],
          ...feedForwardNorm,
          ...(layer === 0
            ? feedForward
            : ([
                ...expertLayers,
                ['ffn_gate_shexp.weight', width, 2 * expertWidth],
                ['ffn_up_shexp.weight', width, 2 * expertWidth],
                ['ffn_down_shexp.weight', 2 * expertWidth, width],
              ] as const)),
        ]),
      ],
    ),
  laguna: () =>
    tinyModel(
      'laguna',
      {
        ...common(4),
        ...expertKeys,
        ...windowKeys,
        '.leading_dense_block_count': u32(1),
        '.expert_shared_count': u32(1),
        '.rope.dimension_count': u32(headLength),
        '.rope.dimension_count_swa': u32(rotated),
        '.rope.freq_base_swa': f32(5000),
      },
      [
        ...outer,
        ...eachLayer(4, (layer) => [
          ...attention,
          ...headNorms,
          ['attn_gate.weight', width, heads],
          ...feedForwardNorm,
          ...(layer === 0 ? feedForward : ([...expertLayers, ['exp_probs_b.bias', experts], ...sharedExpert] as const)),
        ]),
      ],
    ),
  nemotron_h_moe: () =>
    tinyModel(
      'nemotron_h_moe',
      {
        ...common(3),
        ...stateKeys,
        ...expertKeys,
        '.attention.layer_norm_epsilon': f32(1e-5),
        '.feed_forward_length': i32s(0, 0, expertWidth),
        '.attention.head_count_kv': i32s(0, keyHeads, 0),
        '.expert_shared_feed_forward_length': u32(expertWidth),
        '.expert_shared_count': u32(1),
        '.expert_weights_norm': flag(true),
        '.expert_weights_scale': f32(1),
        '.moe_latent_size': u32(latent),
      },
      [...outer, ...eachLayer(3, (layer) => nemotronLayer(layer))],
    ),
} satisfies Record<string, () => TinyModel>;

function nemotronLayer(layer: number): Shapes {
  const size = valueHeads * stateLength;
  const grouped = 2 * keyGroups * stateLength;
  if (layer === 1) return attention;
  if (layer === 0)
    return [
      ['attn_norm.weight', width],
      ['ssm_in.weight', width, 2 * size + grouped + valueHeads],
      ['ssm_conv1d.weight', 4, size + grouped],
      ['ssm_conv1d.bias', size + grouped],
      ['ssm_dt.bias', valueHeads],
      ['ssm_a', 1, valueHeads],
      ['ssm_d', 1, valueHeads],
      ['ssm_norm.weight', size / keyGroups, keyGroups],
      ['ssm_out.weight', size, width],
    ];
  return [
    ['attn_norm.weight', width],
    ['ffn_gate_inp.weight', width, experts],
    ['exp_probs_b.bias', experts],
    ['ffn_latent_down.weight', width, latent],
    ['ffn_latent_up.weight', latent, width],
    ['ffn_up_exps.weight', latent, expertWidth, experts],
    ['ffn_down_exps.weight', expertWidth, latent, experts],
    ['ffn_up_shexp.weight', width, expertWidth],
    ['ffn_down_shexp.weight', expertWidth, width],
  ];
}

export type Decoder = keyof typeof decoders;
