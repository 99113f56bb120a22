// Architectures whose attention is compressed or sparse, and those that no published model has yet.

import { f32, i32s, u32 } from '../architectures/tiny-model.ts';
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
} = groups;
const [softmax, sigmoid] = [1, 2] as const;

export const compressed: Rows = [
  [
    'minicpm3',
    {
      keys: { ...latent, ...allHeads, '.attention.key_length': u32(64), '.attention.value_length': u32(64) },
      vocabulary: 'spm',
    },
  ],
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
  [
    'minimax-m3',
    {
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
