// OLMo 2 and 3, whose norms follow attention and feed-forward layers.

import { stringsOf } from '../../../base/json-values.ts';
import { describeCommon } from '../config/describe-decoder.ts';
import { decoderNames, extendNames } from '../tensors/tensor-names.ts';
import { indicesBelow } from '../tensors/unit-order.ts';
import { writeBytePairTokenizer } from '../tokenizer/llama-tokenizer.ts';
import type { Family } from './family.ts';

export const olmo2: Family = {
  models: ['Olmo2ForCausalLM', 'Olmo3ForCausalLM'],
  architecture: 'olmo2',
  defaults: (config) => ({
    max_position_embeddings: 2048,
    num_key_value_heads: config['num_attention_heads'],
    rope_theta: 10_000,
    rms_norm_eps: 1e-5,
  }),
  names: extendNames(decoderNames, {
    post_attention_layernorm: 'post_attention_norm',
    post_feedforward_layernorm: 'post_ffw_norm',
  }),
  describe(checkpoint, metadata) {
    describeCommon(checkpoint, metadata);
    const { integer, find, layers } = checkpoint.parameters;
    const window = integer('sliding_window');
    if (window === undefined) return;
    metadata.u32('attention.sliding_window', window);
    const types = stringsOf(find('layer_types'));
    // One of four layers sees the whole text.
    metadata.bools(
      'attention.sliding_window_pattern',
      types.length > 0
        ? types.map((type) => type === 'sliding_attention')
        : indicesBelow(layers).map((layer) => (layer + 1) % 4 !== 0),
    );
  },
  writeTokenizer: writeBytePairTokenizer,
};
