// Jina's encoders, and XLM-RoBERTa, on which the third version builds.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { fusedBertNames, jina2Names } from '../tensors/encoder-names.ts';
import { writeJinaTokenizer } from '../tokenizer/bert-tokenizer.ts';
import { writeUnigramTokenizer } from '../tokenizer/unigram.ts';
import { bert, describeBert, renameBert, roberta, withoutPrefix } from './bert.ts';
import type { Family } from './family.ts';

export const jina2: Family = {
  ...bert,
  models: ['JinaBertModel', 'JinaBertForMaskedLM'],
  architecture: 'jina-bert-v2',
  defaults: () => ({}),
  names: jina2Names,
  describe(checkpoint, metadata) {
    const { find } = checkpoint.parameters;
    if (find('position_embedding_type') !== 'alibi' || find('feed_forward_type') !== 'geglu')
      throw unusable('llama.cpp knows Jina 2 only with alibi positions and geglu');
    describeBert(checkpoint, metadata);
  },
  writeTokenizer: writeJinaTokenizer,
};

export const xlmRoberta: Family = {
  ...roberta,
  models: ['XLMRobertaModel', 'XLMRobertaForSequenceClassification'],
  defaults: (config) => ({ ...roberta.defaults(config), vocab_size: 30_522 }),
  writeTokenizer: writeUnigramTokenizer,
};

/** The adapters for kinds of texts are left out. */
export const jina3: Family = {
  ...xlmRoberta,
  models: ['XLMRobertaModel', 'JinaEmbeddingsV3Model'],
  architecture: 'jina-bert-v3',
  applies: (config) =>
    config['lora_adaptations'] !== undefined || String(config['architectures']) === 'JinaEmbeddingsV3Model',
  defaults: () => ({ pad_token_id: 1 }),
  names: fusedBertNames,
  rename: (name, model) =>
    /\.lora_[AB]$/.test(name)
      ? undefined
      : renameBert(
          withoutPrefix(name, 'roberta.')
            .replace('.parametrizations.', '.')
            .replace(/\.original$/, ''),
          model,
        ),
  describe: describeJina3,
};

function describeJina3(checkpoint: Checkpoint, metadata: Metadata): void {
  const { parameters } = checkpoint;
  const type = parameters.find('position_embedding_type');
  if (type !== undefined && type !== 'rotary') throw unusable('llama.cpp knows Jina 3 only with rotary positions');
  xlmRoberta.describe(checkpoint, metadata);
}
