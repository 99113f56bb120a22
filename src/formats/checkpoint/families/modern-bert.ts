// ModernBERT: embedding models and rerankers. Most layers see a window around each token.

import { stringsOf } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Hyperparameters } from '../config/hyperparameters.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { asString } from '../files/json-object.ts';
import { modernBertNames } from '../tensors/encoder-names.ts';
import { writeModernBertTokenizer } from '../tokenizer/bert-tokenizer.ts';
import { describeBert, isClassifier, withoutPrefix } from './bert.ts';
import type { Family } from './family.ts';

export const modernBert: Family = {
  models: ['ModernBertModel', 'ModernBertForMaskedLM', 'ModernBertForSequenceClassification'],
  architecture: 'modern-bert',
  defaults: (config) => ({
    vocab_size: 50_368,
    hidden_size: 768,
    intermediate_size: 1152,
    num_hidden_layers: 22,
    num_attention_heads: 12,
    max_position_embeddings: 8192,
    hidden_activation: 'gelu',
    norm_eps: 1e-5,
    // llama.cpp needs the second name.
    layer_norm_eps: config['norm_eps'] ?? 1e-5,
    local_attention: 128,
    global_rope_theta: 160_000,
    local_rope_theta: 10_000,
  }),
  names: modernBertNames,
  rename(name, model) {
    const bare = withoutPrefix(name, 'model.');
    return !isClassifier(model) && /^(?:head|decoder)\./.test(bare) ? undefined : bare;
  },
  describe: describeModernBert,
  writeTokenizer: writeModernBertTokenizer,
};

function describeModernBert(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters, model } = checkpoint;
  if (isClassifier(model) && parameters.find('classifier_pooling') !== 'mean')
    throw unusable('its classifier reads the first token; llama.cpp reads the mean of all tokens');
  describeBert(checkpoint, metadata);
  metadata.u32('attention.sliding_window', parameters.requiredInteger('local_attention'));
  metadata.u32('attention.sliding_window_pattern', fullAttentionPeriod(parameters));
  metadata.string('rope.scaling.type', 'none');
  metadata.u32('vocab_size', parameters.requiredInteger('vocab_size'));
  metadata.string('hidden_activation', asString(parameters.find('hidden_activation')));
}

const usualPeriod = 3;

/** The number of layers from one with full attention to the next. Undefined: llama.cpp's default. */
function fullAttentionPeriod({ integer, find }: Hyperparameters): number | undefined {
  const own = integer('global_attn_every_n_layers');
  const types = stringsOf(find('layer_types')).map((type) => type === 'full_attention');
  if (types.length === 0) return own;
  const second = types.indexOf(true, 1);
  const period = own ?? (second < 0 ? types.length : second);
  if (types.some((isFull, layer) => isFull !== (layer % period === 0)))
    throw unusable('its layers with full attention are not at equal distances');
  return own ?? (period === usualPeriod ? undefined : period);
}
