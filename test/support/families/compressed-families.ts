// Architectures whose attention is compressed or sparse, and those that no published model has yet.

import { f32, flag, i32s, u32 } from '../architectures/tiny-model.ts';
import { groups, type Rows } from './family-keys.ts';

const {
  headLength,
  rank,
  allHeads,
  patterned,
  sections,
  gated,
  shared,
  denseFirst,
  state,
  latent,
  indexer,
  scaled,
  connected,
  ignoresAdapters,
} = groups;
const [softmax, sigmoid] = [1, 2] as const;

// portable-state.ts
const wholeSnapshots = { parallel: 'evaluated again: the snapshots have other parts' };

export const compressed: Rows = [
  [
    'minicpm3',
    {
      keys: { ...latent, ...allHeads, '.attention.key_length': u32(64), '.attention.value_length': u32(64) },
      vocabulary: 'spm',
    },
  ],
  ['deepseek2 mistral4', { keys: { ...latent, ...gated(softmax), ...shared, ...denseFirst } }],
  [
    'deepseek32',
    { except: wholeSnapshots, keys: { ...latent, ...gated(sigmoid), ...shared, ...denseFirst, ...indexer } },
  ],
  [
    'glm-dsa',
    {
      except: wholeSnapshots,
      keys: { ...latent, ...gated(sigmoid), ...shared, ...denseFirst, ...indexer },
      optional:
        'indexer.k_norm.weight indexer.k_norm.bias indexer.proj.weight indexer.attn_k.weight indexer.attn_q_b.weight',
    },
  ],
  [
    'deepseek4',
    {
      except: wholeSnapshots,
      layers: 4,
      keys: {
        ...gated(4),
        ...shared,
        ...connected,
        ...indexer,
        '.embedding_length': u32(512),
        '.attention.head_count': u32(8),
        '.attention.head_count_kv': u32(1),
        '.attention.key_length': u32(64),
        '.attention.value_length': u32(64),
        '.rope.dimension_count': u32(32),
        '.attention.q_lora_rank': u32(64),
        '.attention.sliding_window': u32(32),
        '.attention.output_group_count': u32(8),
        '.attention.output_lora_rank': u32(32),
        '.attention.compress_ratios': i32s(0, 0, 4, 128),
        '.attention.compress_rope_freq_base': f32(160_000),
        '.hash_layer_count': u32(0),
        '.swiglu_clamp_exp': f32(10),
        '.expert_weights_scale': f32(1),
        '.expert_weights_norm': flag(true),
      },
    },
  ],
  [
    'dots3note',
    {
      except: wholeSnapshots,
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
  [
    'minimax-m3',
    {
      except: wholeSnapshots,
      keys: {
        ...gated(sigmoid),
        ...shared,
        ...denseFirst,
        ...indexer,
        '.attention.indexer.block_size': u32(4),
        '.attention.indexer.local_blocks': u32(1),
        '.rope.dimension_count': u32(headLength),
      },
    },
  ],
  [
    'qwen4exp',
    {
      except: wholeSnapshots,
      keys: {
        ...state,
        ...sections,
        ...gated(sigmoid),
        ...shared,
        ...connected,
        ...indexer,
        '.full_attention_interval': u32(2),
      },
    },
  ],
  [
    'graniteswitch',
    {
      except: { adapter: ignoresAdapters },
      keys: {
        ...scaled,
        '.adapters.count': u32(2),
        '.adapters.lora_rank': u32(8),
        '.adapters.token_ids_activate': i32s(3, 4),
        '.adapters.token_ids_substitute': i32s(5, 6),
      },
    },
  ],
];
