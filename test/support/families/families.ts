// Every architecture that the engine knows, as a tiny model: its keys, its vocabulary, and which of its optional tensors a
// file has. The engine itself says which tensors these keys need (tensor-shapes.ts).

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { f32, f32s, flag, i32s, type Keys, u32 } from '../architectures/tiny-model.ts';
import type { VocabularyKind } from './vocabularies.ts';

export interface Family {
  /** Default: 2. */
  readonly layers?: number;
  /** They begin with a dot if they belong to the architecture. */
  readonly keys?: Keys;
  /** Default: bpe. */
  readonly vocabulary?: VocabularyKind;
  /** Tensors of every layer that the engine does not require. */
  readonly optional?: string;
  /** The embedding is also the output. */
  readonly tied?: true;
  /** Default: it generates text. */
  readonly use?: 'text' | 'embeddings' | 'encoder-decoder' | 'none';
}

type Rows = readonly (readonly [names: string, family: Family])[];

export const width = 256;
const heads = 4;
const keyHeads = 2;
const headLength = width / heads;
const rank = 64;

export const common: Keys = {
  '.context_length': u32(512),
  '.embedding_length': u32(width),
  '.feed_forward_length': u32(256),
  '.attention.head_count': u32(heads),
  '.attention.head_count_kv': u32(keyHeads),
  '.attention.layer_norm_rms_epsilon': f32(1e-5),
  '.attention.layer_norm_epsilon': f32(1e-5),
  '.rope.freq_base': f32(10_000),
};

const allHeads: Keys = { '.attention.head_count_kv': u32(heads) };
const window: Keys = { '.attention.sliding_window': u32(32) };
const patterned: Keys = { ...window, '.attention.sliding_window_pattern': i32s(1, 0) };
const sections: Keys = { '.rope.dimension_sections': i32s(8, 12, 12, 0) };
const experts: Keys = {
  '.expert_count': u32(4),
  '.expert_used_count': u32(2),
  '.expert_feed_forward_length': u32(128),
};
const gated = (gating: number): Keys => ({ ...experts, '.expert_gating_func': u32(gating) });
const [softmax, sigmoid] = [1, 2] as const;
const shared: Keys = { '.expert_shared_count': u32(1), '.expert_shared_feed_forward_length': u32(128) };
const denseFirst: Keys = { '.leading_dense_block_count': u32(1) };
const state: Keys = {
  '.ssm.conv_kernel': u32(4),
  '.ssm.inner_size': u32(2 * width),
  '.ssm.state_size': u32(64),
  '.ssm.time_step_rank': u32(8),
  '.ssm.group_count': u32(2),
};
/** The first layer has a state, the second one attends. */
const alternating: Keys = { '.attention.head_count_kv': i32s(0, keyHeads) };
/** Attention over a compressed state. */
const latent: Keys = {
  '.attention.head_count_kv': u32(1),
  '.attention.q_lora_rank': u32(rank),
  '.attention.kv_lora_rank': u32(rank),
  '.attention.key_length': u32(rank + 32),
  '.attention.value_length': u32(rank),
  '.attention.key_length_mla': u32(headLength),
  '.attention.value_length_mla': u32(headLength),
  '.rope.dimension_count': u32(32),
};
const indexer: Keys = {
  '.attention.indexer.head_count': u32(2),
  '.attention.indexer.key_length': u32(64),
  '.attention.indexer.top_k': u32(16),
};
const deltaRule: Keys = { '.kda.head_dim': u32(headLength), '.ssm.conv_kernel': u32(4) };
const rwkv: Keys = {
  '.wkv.head_size': u32(64),
  '.token_shift_count': u32(2),
  '.time_mix_extra_dim': u32(32),
  '.time_decay_extra_dim': u32(64),
  '.attention.decay_lora_rank': u32(32),
  '.attention.iclr_lora_rank': u32(32),
  '.attention.value_residual_mix_lora_rank': u32(32),
  '.attention.gate_lora_rank': u32(32),
  '.attention.head_count': u32(0),
};
const scaled: Keys = { '.logit_scale': f32(1) };
const projectionBiases = 'attn_q.bias attn_k.bias attn_v.bias';
const embeddings = { use: 'embeddings', tied: true } as const;
const pooled = (type: number): Keys => ({ '.pooling_type': u32(type), '.attention.causal': flag(false), ...allHeads });

const dense: Rows = [
  ['llama mistral3 nanbeige smollm3 arcee', { vocabulary: 'spm' }],
  ['deci falcon mpt starcoder refact bloom codeshell gpt2 starcoder2 jais2', {}],
  ['baichuan orion internlm2 xverse plamo', { vocabulary: 'spm' }],
  ['qwen qwen2 ernie4_5 paddleocr', { optional: projectionBiases }],
  ['stablelm phi2 olmo olmo2 nemotron exaone hunyuan-dense hunyuan_vl seed_oss maincoder pangu-embedded', {}],
  ['qwen3 chatglm glm4 eurobert', {}],
  ['openelm bitnet', { tied: true }],
  ['jais', { keys: { '.attention.max_alibi_bias': f32(8) } }],
  ['gptneox', { keys: { '.use_parallel_residual': flag(true) } }],
  ['qwen2vl qwen3vl', { keys: sections, optional: projectionBiases }],
  ['minicpm', { keys: { '.embedding_scale': f32(1), '.residual_scale': f32(1), ...scaled } }],
  ['granite talkie', { keys: scaled }],
  ['apertus', { keys: { 'xielu.alpha_n': f32(1), 'xielu.alpha_p': f32(1), 'xielu.beta': f32(1), 'xielu.eps': f32(1e-6) } }],
  ['command-r', { keys: scaled, tied: true }],
  ['gemma', { vocabulary: 'spm', tied: true }],
  ['cogvlm chameleon', { keys: allHeads }],
];

const windowed: Rows = [
  ['phi3', { vocabulary: 'spm', keys: window }],
  ['gemma2', { vocabulary: 'spm', tied: true, keys: window }],
  ['gemma3', { vocabulary: 'spm', tied: true, layers: 6, keys: window }],
  ['exaone4 plamo3', { layers: 4, keys: window }],
  ['cohere2', { layers: 4, tied: true, keys: { ...window, ...scaled } }],
  ['granite_swa muse-glimmer', { keys: { ...patterned, ...scaled } }],
  ['gemma3n', { vocabulary: 'spm', tied: true, layers: 22, keys: { ...window, '.embedding_length': u32(64), '.feed_forward_length': u32(64) } }],
  ['gemma4', { vocabulary: 'spm', tied: true, keys: { ...patterned, '.embedding_length_per_layer_input': u32(32), '.attention.key_length_swa': u32(headLength), '.attention.value_length_swa': u32(headLength) } }],
];

const mixtures: Rows = [
  ['qwen3moe olmoe phimoe grok arctic mellum', { keys: experts }],
  ['grovemoe', { keys: { ...experts, '.expert_group_scale': f32(1), '.experts_per_group': u32(2), '.expert_chunk_feed_forward_length': u32(64) } }],
  ['granitemoe', { keys: { ...experts, ...scaled } }],
  ['qwen2moe', { keys: { ...experts, ...shared }, optional: projectionBiases }],
  ['qwen3vlmoe', { keys: { ...experts, ...sections } }],
  ['dbrx', { keys: { ...experts, '.attention.clamp_kqv': f32(8) } }],
  ['deepseek bailingmoe ernie4_5-moe hunyuan-moe deepseek2-ocr', { keys: { ...experts, ...shared, ...denseFirst, ...allHeads, '.interleave_moe_layer_step': u32(1) } }],
  ['dots1 bailingmoe2 glm4moe exaone-moe minimax-m2 hy_v3', { keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...window } }],
  ['afmoe laguna', { layers: 4, keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...window } }],
  ['gpt-oss', { keys: { ...experts, ...window } }],
  ['smallthinker', { layers: 4, keys: { ...gated(softmax), ...window } }],
  ['mimo2 step35', { keys: { ...gated(sigmoid), ...patterned } }],
  ['cohere2moe', { keys: { ...gated(sigmoid), ...patterned, ...scaled, ...denseFirst } }],
  ['llama4', { layers: 4, keys: { ...experts, '.expert_used_count': u32(1), '.interleave_moe_layer_step': u32(2), '.rope.dimension_count': u32(headLength) } }],
];

const compressed: Rows = [
  ['minicpm3', { keys: { ...latent, ...allHeads, '.attention.key_length': u32(64), '.attention.value_length': u32(64) }, vocabulary: 'spm' }],
  ['plm', { keys: { ...latent, ...allHeads, '.attention.key_length': u32(96), '.attention.value_length': u32(64) } }],
  ['deepseek2 mistral4', { keys: { ...latent, ...gated(softmax), ...shared, ...denseFirst } }],
  ['deepseek32 glm-dsa', { keys: { ...latent, ...gated(sigmoid), ...shared, ...denseFirst, ...indexer } }],
  [
    'dots3note',
    {
      keys: {
        ...latent,
        ...gated(sigmoid),
        ...shared,
        ...denseFirst,
        ...indexer,
        ...patterned,
        '.attention.kv_lora_rank_swa': u32(rank),
        '.attention.key_length_swa': u32(rank + 32),
        '.attention.value_length_swa': u32(rank),
        '.attention.key_length_mla_swa': u32(headLength),
        '.attention.value_length_mla_swa': u32(headLength),
        '.rope.freq_base_swa': f32(10_000),
        '.attention.indexer.types': i32s(0, 1),
      },
    },
  ],
  ['minimax-m3', { keys: { ...gated(sigmoid), ...shared, ...denseFirst, ...indexer, '.attention.indexer.block_size': u32(4), '.attention.indexer.local_blocks': u32(1), '.rope.dimension_count': u32(headLength) } }],
];

const recurrent: Rows = [
  ['mamba mamba2', { tied: true, keys: { ...state, '.attention.head_count': u32(0), '.feed_forward_length': u32(0) } }],
  ['rwkv6 rwkv7', { vocabulary: 'rwkv', keys: rwkv, optional: 'time_mix_lerp_fused.weight' }],
  ['rwkv6qwen2 arwkv7', { keys: rwkv }],
];

const hybrid: Rows = [
  ['lfm2', { tied: true, keys: { ...alternating, '.shortconv.l_cache': u32(3) } }],
  ['lfm2moe', { tied: true, keys: { ...alternating, ...gated(sigmoid), ...denseFirst, '.shortconv.l_cache': u32(3) } }],
  ['jamba', { keys: { ...alternating, ...state, ...experts } }],
  ['granitehybrid', { keys: { ...alternating, ...state, ...scaled } }],
  ['plamo2', { keys: { ...alternating, ...state } }],
  ['falcon-h1', { keys: state }],
  ['nemotron_h', { layers: 3, keys: { ...state, '.attention.head_count_kv': i32s(0, keyHeads, 0), '.feed_forward_length': i32s(0, 0, 256) } }],
  ['nemotron_h_moe', { layers: 3, keys: { ...state, ...gated(sigmoid), ...shared, '.attention.head_count_kv': i32s(0, keyHeads, 0), '.feed_forward_length': i32s(0, 0, 256) } }],
  ['qwen35', { keys: { ...state, ...sections, '.full_attention_interval': u32(2) } }],
  ['qwen3next qwen35moe', { keys: { ...state, ...sections, ...experts, ...shared, '.full_attention_interval': u32(2) } }],
  ['kimi-linear kimi-k3 bailingmoe3', { keys: { ...latent, ...deltaRule, ...gated(sigmoid), ...shared, ...denseFirst, '.attention.head_count_kv': i32s(0, 1), '.kda.gate_lower_bound': f32(-5), '.kda.safe_gate': flag(true), '.attn_res.block_size': u32(12), '.activation.situ_beta': f32(4), '.activation.situ_linear_beta': f32(25), '.expert_latent_length': u32(64) } }],
  ['minimax-01', { keys: { ...experts, '.residual_scale': f32(1), '.full_attention_interval': u32(2) } }],
];

const connected: Keys = {
  '.hyper_connection.count': u32(4),
  '.hyper_connection.sinkhorn_iterations': u32(4),
  '.hyper_connection.epsilon': f32(1e-6),
  '.hyper_connection.low_rank': u32(16),
};
const newest: Rows = [
  [
    'deepseek4',
    {
      keys: {
        ...gated(4),
        ...shared,
        ...window,
        ...indexer,
        ...connected,
        '.attention.head_count_kv': u32(1),
        '.attention.key_length': u32(headLength),
        '.attention.value_length': u32(headLength),
        '.attention.q_lora_rank': u32(rank),
        '.rope.dimension_count': u32(32),
        '.expert_weights_scale': f32(1),
        '.expert_weights_norm': flag(true),
        '.swiglu_clamp_exp': f32s(7, 7),
        '.attention.output_group_count': u32(2),
        '.attention.output_lora_rank': u32(32),
        '.attention.compress_rope_freq_base': f32(10_000),
        '.attention.compress_ratios': i32s(0, 4),
        '.hash_layer_count': u32(0),
      },
    },
  ],
  ['qwen4exp', { keys: { ...state, ...sections, ...gated(sigmoid), ...shared, ...connected, ...indexer, '.full_attention_interval': u32(2) } }],
  ['graniteswitch', { keys: { ...scaled, '.adapters.count': u32(2), '.adapters.lora_rank': u32(8), '.adapters.token_ids_activate': i32s(3, 4), '.adapters.token_ids_substitute': i32s(5, 6) } }],
];

const diffusion: Rows = [
  ['dream llada', { use: 'none' }],
  ['llada-moe rnd1', { use: 'none', keys: experts }],
];

const encoders: Rows = [
  ['bert', { ...embeddings, vocabulary: 'wpm', keys: pooled(1) }],
  ['nomic-bert jina-bert-v2 neo-bert', { ...embeddings, vocabulary: 'wpm', keys: pooled(1) }],
  ['nomic-bert-moe', { ...embeddings, vocabulary: 'ugm', keys: { ...pooled(1), ...experts, '.moe_every_n_layers': u32(2) } }],
  ['jina-bert-v3', { ...embeddings, vocabulary: 'ugm', keys: pooled(1) }],
  ['modern-bert', { ...embeddings, layers: 4, keys: { ...pooled(2), ...window } }],
  ['eurobert', { ...embeddings, keys: { '.pooling_type': u32(1), '.attention.causal': flag(false) } }],
  ['gemma-embedding', { ...embeddings, layers: 6, vocabulary: 'spm', keys: { ...window, '.pooling_type': u32(1) } }],
  ['llama-embed', { ...embeddings, keys: { '.pooling_type': u32(1) } }],
  ['t5encoder', { ...embeddings, vocabulary: 'ugm', keys: { ...allHeads, '.attention.relative_buckets_count': u32(8) } }],
  ['t5', { use: 'encoder-decoder', vocabulary: 'ugm', keys: { ...allHeads, '.attention.relative_buckets_count': u32(8), '.decoder_start_token_id': u32(0) } }],
];

export const families: ReadonlyMap<string, Family> = new Map(
  [...dense, ...windowed, ...mixtures, ...compressed, ...recurrent, ...hybrid, ...newest, ...diffusion, ...encoders].flatMap(([names, family]) =>
    names.split(' ').map((name) => [name, family] as const),
  ),
);
