// What describes an architecture, and the keys that several of them share. A key that begins with a dot belongs to the
// architecture.

import { f32, flag, i32s, type Keys, u32 } from '../architectures/tiny-model.ts';
import type { VocabularyKind } from './vocabularies.ts';

export interface Family {
  /** Default: 2. */
  readonly layers?: number;
  /** They begin with a dot if they belong to the architecture. */
  readonly keys?: Keys;
  /** Default: bpe. */
  readonly vocabulary?: VocabularyKind;
  /** Tensors that the engine does not require, of every layer or of the named one. */
  readonly optional?: string;
  /** The file has keys, and no tensors that the engine asks for. */
  readonly empty?: true;
  /** The embedding is also the output. */
  readonly tied?: true;
  /** Default: it generates text. */
  readonly use?: 'embeddings' | 'refused';
  /** Columns in which it does not work, and why. */
  readonly except?: Partial<Record<'parallel' | 'adapter', string>>;
  /** The engine alone rounds as much as with quantized weights, depending on the tokens in a pass. */
  readonly rounds?: true;
}

export type Rows = readonly (readonly [names: string, family: Family])[];

const width = 256;
const heads = 4;
const keyHeads = 2;
const headLength = width / heads;
const rank = 64;

const common: Keys = {
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
  '.attention.head_count_kv': u32(0),
};
const scaled: Keys = { '.logit_scale': f32(1) };
/** Of the first layer. */
const gatedState = 'blk.0.attn_qkv.weight blk.0.attn_gate.weight';
const projectionBiases = 'attn_q.bias attn_k.bias attn_v.bias';
const embeddings = { use: 'embeddings', tied: true } as const;
const pooled = (type: number): Keys => ({ '.pooling_type': u32(type), '.attention.causal': flag(false), ...allHeads });

const ignoresAdapters = 'refused: the engine ignores adapters';
const abortsWithAdapters = 'refused: the engine ends the process';

const connected: Keys = {
  '.hyper_connection.count': u32(4),
  '.hyper_connection.sinkhorn_iterations': u32(4),
  '.hyper_connection.epsilon': f32(1e-6),
  '.hyper_connection.low_rank': u32(16),
};

export const groups = {
  width,
  heads,
  keyHeads,
  headLength,
  rank,
  common,
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
  indexer,
  deltaRule,
  rwkv,
  scaled,
  projectionBiases,
  gatedState,
  embeddings,
  pooled,
  connected,
  ignoresAdapters,
  abortsWithAdapters,
};
