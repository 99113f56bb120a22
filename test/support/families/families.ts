// Every architecture that the engine knows, as a tiny model: its keys, its vocabulary, and which of its optional tensors a
// file has. The engine itself says which tensors these keys need (tensor-shapes.ts).

import { f32, flag, i32s, u32 } from '../architectures/tiny-model.ts';
import { compressed } from './compressed-families.ts';
import { type Family, groups, type Rows } from './family-keys.ts';

const {
  keyHeads,
  headLength,
  allHeads,
  window,
  patterned,
  sections,
  experts,
  gated,
  shared,
  denseFirst,
  state,
  alternating,
  latent,
  deltaRule,
  rwkv,
  scaled,
  projectionBiases,
  gatedState,
  embeddings,
  pooled,
  ignoresAdapters,
  abortsWithAdapters,
} = groups;
const [softmax, sigmoid] = [1, 2] as const;

const dense: Rows = [
  ['llama mistral3 nanbeige smollm3 arcee', { vocabulary: 'spm' }],
  ['deci falcon mpt starcoder refact bloom codeshell gpt2 starcoder2', {}],
  ['baichuan orion internlm2 xverse plamo', { vocabulary: 'spm' }],
  ['qwen qwen2 ernie4_5', { optional: projectionBiases }],
  ['paddleocr', { keys: sections, optional: projectionBiases }],
  ['stablelm phi2 olmo olmo2 nemotron exaone hunyuan-dense hunyuan_vl seed_oss maincoder pangu-embedded', {}],
  ['qwen3 chatglm', {}],
  ['glm4', { except: { adapter: abortsWithAdapters } }],
  ['openelm bitnet', { tied: true }],
  ['jais', { keys: { '.attention.max_alibi_bias': f32(8) } }],
  ['gptneox', { keys: { '.use_parallel_residual': flag(true) } }],
  ['qwen2vl qwen3vl', { keys: sections, optional: projectionBiases }],
  ['minicpm', { keys: { '.embedding_scale': f32(1), '.residual_scale': f32(1), ...scaled } }],
  ['granite talkie', { keys: scaled }],
  [
    'apertus',
    { keys: { 'xielu.alpha_n': f32(1), 'xielu.alpha_p': f32(1), 'xielu.beta': f32(1), 'xielu.eps': f32(1e-6) } },
  ],
  ['command-r', { keys: scaled, tied: true }],
  ['gemma', { vocabulary: 'spm', tied: true }],
  ['jais2', { keys: allHeads, except: { adapter: abortsWithAdapters } }],
];

const windowed: Rows = [
  ['phi3', { vocabulary: 'spm', keys: window, optional: 'attn_qkv.weight' }],
  ['gemma2', { vocabulary: 'spm', tied: true, keys: window }],
  ['gemma3', { vocabulary: 'spm', tied: true, layers: 6, keys: window }],
  ['exaone4', { layers: 4, keys: window }],
  ['plamo3', { layers: 8, vocabulary: 'plamo2', keys: window }],
  ['cohere2', { layers: 4, tied: true, keys: { ...window, ...scaled } }],
  ['granite_swa muse-glimmer', { keys: { ...patterned, ...scaled } }],
  [
    'gemma3n',
    {
      rounds: true,
      vocabulary: 'spm',
      tied: true,
      layers: 22,
      keys: { ...window, '.embedding_length': u32(64), '.feed_forward_length': u32(64) },
    },
  ],
  [
    'gemma4',
    {
      vocabulary: 'gemma4',
      tied: true,
      keys: {
        ...patterned,
        '.embedding_length_per_layer_input': u32(32),
        '.attention.key_length_swa': u32(headLength),
        '.attention.value_length_swa': u32(headLength),
      },
    },
  ],
];

const mixtures: Rows = [
  ['qwen3moe phimoe grok arctic mellum', { keys: experts }],
  ['olmoe', { keys: { ...experts, ...allHeads } }],
  [
    'grovemoe',
    {
      keys: {
        ...experts,
        '.expert_group_scale': f32(1),
        '.experts_per_group': u32(2),
        '.expert_chunk_feed_forward_length': u32(64),
      },
    },
  ],
  ['granitemoe', { keys: { ...experts, ...scaled } }],
  ['qwen2moe', { keys: { ...experts, ...shared }, optional: projectionBiases }],
  ['qwen3vlmoe', { keys: { ...experts, ...sections } }],
  ['dbrx', { keys: { ...experts, '.attention.clamp_kqv': f32(8) } }],
  [
    'deepseek bailingmoe ernie4_5-moe hunyuan-moe deepseek2-ocr',
    { keys: { ...experts, ...shared, ...denseFirst, ...allHeads, '.interleave_moe_layer_step': u32(1) } },
  ],
  ['bailingmoe2 minimax-m2 hy_v3', { keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...window } }],
  [
    'glm4moe',
    { keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...window }, except: { adapter: abortsWithAdapters } },
  ],
  ['dots1', { keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...allHeads } }],
  ['afmoe laguna exaone-moe', { layers: 4, keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...window } }],
  ['gpt-oss', { keys: { ...experts, ...window } }],
  ['smallthinker', { layers: 4, keys: { ...gated(softmax), ...window } }],
  ['mimo2 step35', { keys: { ...gated(sigmoid), ...patterned } }],
  ['cohere2moe', { keys: { ...gated(sigmoid), ...patterned, ...scaled, ...denseFirst } }],
  [
    'llama4',
    {
      layers: 4,
      keys: {
        ...experts,
        '.expert_used_count': u32(1),
        '.interleave_moe_layer_step': u32(2),
        '.rope.dimension_count': u32(headLength),
      },
    },
  ],
];

const recurrent: Rows = [
  ['mamba mamba2', { tied: true, keys: { ...state, '.attention.head_count': u32(0), '.feed_forward_length': u32(0) } }],
  ['rwkv6 rwkv7', { vocabulary: 'rwkv', keys: rwkv, optional: 'time_mix_lerp_fused.weight' }],
  [
    'rwkv6qwen2 arwkv7',
    { keys: { ...rwkv, '.token_shift_count': u32(1) }, optional: 'time_mix_g1.weight time_mix_g2.weight' },
  ],
];

const linearAttention = {
  ...latent,
  ...deltaRule,
  ...gated(sigmoid),
  ...shared,
  ...denseFirst,
  '.attention.head_count_kv': i32s(0, 1),
  '.kda.gate_lower_bound': f32(-5),
  '.kda.safe_gate': flag(true),
  '.attn_res.block_size': u32(12),
  '.activation.situ_beta': f32(4),
  '.activation.situ_linear_beta': f32(25),
  '.expert_latent_length': u32(64),
};

const hybrid: Rows = [
  ['lfm2', { tied: true, keys: { ...alternating, '.shortconv.l_cache': u32(3) } }],
  ['lfm2moe', { tied: true, keys: { ...alternating, ...gated(sigmoid), ...denseFirst, '.shortconv.l_cache': u32(3) } }],
  ['jamba', { keys: { ...alternating, ...state, ...experts } }],
  ['granitehybrid', { keys: { ...alternating, ...state, ...scaled }, optional: 'ssm_conv1d.bias' }],
  ['plamo2', { vocabulary: 'plamo2', keys: { ...alternating, ...state, '.ssm.group_count': u32(0) } }],
  ['falcon-h1', { keys: state, optional: 'ssm_conv1d.bias' }],
  [
    'nemotron_h',
    {
      layers: 3,
      keys: { ...state, '.attention.head_count_kv': i32s(0, keyHeads, 0), '.feed_forward_length': i32s(0, 0, 256) },
      optional: 'ssm_conv1d.bias',
    },
  ],
  [
    'nemotron_h_moe',
    {
      layers: 3,
      keys: {
        ...state,
        ...gated(sigmoid),
        ...shared,
        '.attention.head_count_kv': i32s(0, keyHeads, 0),
        '.feed_forward_length': i32s(0, 0, 256),
      },
      optional: 'ssm_conv1d.bias',
    },
  ],
  ['qwen35', { keys: { ...state, ...sections, '.full_attention_interval': u32(2) }, optional: gatedState }],
  [
    'qwen3next qwen35moe',
    {
      keys: { ...state, ...sections, ...experts, ...shared, '.full_attention_interval': u32(2) },
      optional: gatedState,
    },
  ],
  [
    'kimi-linear bailingmoe3',
    {
      keys: linearAttention,
    },
  ],
  ['kimi-k3', { keys: linearAttention, except: { adapter: ignoresAdapters } }],
  ['minimax-01', { keys: { ...experts, '.residual_scale': f32(1), '.full_attention_interval': u32(2) } }],
];

const diffusion: Rows = [
  ['dream llada', { use: 'refused' }],
  ['llada-moe rnd1', { use: 'refused', keys: experts }],
];

const encoders: Rows = [
  ['bert', { ...embeddings, vocabulary: 'wpm', keys: pooled(1) }],
  ['nomic-bert jina-bert-v2 neo-bert', { ...embeddings, vocabulary: 'wpm', keys: pooled(1) }],
  [
    'nomic-bert-moe',
    { ...embeddings, vocabulary: 'ugm', keys: { ...pooled(1), ...experts, '.moe_every_n_layers': u32(2) } },
  ],
  ['jina-bert-v3', { ...embeddings, vocabulary: 'ugm', keys: pooled(1) }],
  ['modern-bert', { ...embeddings, layers: 4, keys: { ...pooled(2), ...window } }],
  ['eurobert', { ...embeddings, keys: { '.pooling_type': u32(1), '.attention.causal': flag(false) } }],
  ['gemma-embedding', { ...embeddings, layers: 6, vocabulary: 'spm', keys: { ...window, '.pooling_type': u32(1) } }],
  ['llama-embed', { ...embeddings, keys: { '.pooling_type': u32(1) } }],
  [
    't5encoder',
    { use: 'refused', vocabulary: 'ugm', keys: { ...allHeads, '.attention.relative_buckets_count': u32(8) } },
  ],
  [
    't5',
    {
      use: 'refused',
      vocabulary: 'ugm',
      keys: { ...allHeads, '.attention.relative_buckets_count': u32(8), '.decoder_start_token_id': u32(0) },
    },
  ],
];

// Forms that the rows above do not have.
const variants: Rows = [
  ['llama:tied', { tied: true, vocabulary: 'spm' }],
  ['llama:experts', { keys: experts, vocabulary: 'spm' }],
  ['llama:no-vocabulary', { vocabulary: 'none', use: 'refused' }],
  ['qwen3:tied', { tied: true }],
  ['gemma2:untied', { vocabulary: 'spm', keys: window }],
  ['mamba2:untied', { keys: { ...state, '.attention.head_count': u32(0), '.feed_forward_length': u32(0) } }],
  [
    'deepseek2:no-query-rank',
    { keys: { ...latent, ...gated(softmax), ...denseFirst, ...shared, '.attention.q_lora_rank': u32(0) } },
  ],
];

// Refused by their name, whatever the file has.
const unusable: Rows = [
  [
    'plm chameleon cogvlm gptj eagle3 dflash gemma4-assistant wavtokenizer-dec qwen3tts pockettts',
    { use: 'refused', empty: true },
  ],
];

export const families: ReadonlyMap<string, Family> = new Map(
  [
    ...dense,
    ...windowed,
    ...mixtures,
    ...compressed,
    ...recurrent,
    ...hybrid,
    ...diffusion,
    ...encoders,
    ...unusable,
    ...variants,
  ].flatMap(([names, family]) => names.split(' ').map((name) => [name, family] as const)),
);

/** The rows of an architecture have its name, or begin with it and a colon. */
export const architectureOf = (row: string): string => row.split(':')[0] as string;

/** Architectures without a tiny model. */
export const withoutModel: Readonly<Record<string, string>> = {
  clip: 'encodes images for another model (projectors.ts)',
};
