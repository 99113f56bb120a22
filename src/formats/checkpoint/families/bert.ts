// BERT, DistilBERT and RoBERTa: embedding models and rerankers.

import { asObject } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import { describeCommon } from '../config/describe-decoder.ts';
import { describePooling, poolingTypes } from '../config/describe-pooling.ts';
import type { Metadata } from '../config/metadata.ts';
import type { TensorPiece } from '../tensors/output-tensor.ts';
import { type SourceTensor, sliceRows } from '../tensors/source-tensors.ts';
import { bertNames, distilBertNames } from '../tensors/tensor-names.ts';
import { writeBertTokenizer, writeRobertaTokenizer } from '../tokenizer/bert-tokenizer.ts';
import type { Family } from './family.ts';

const bertDefaults = {
  vocab_size: 30_522,
  max_position_embeddings: 512,
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  layer_norm_eps: 1e-12,
  type_vocab_size: 2,
};

export const bert: Family = {
  models: ['BertModel', 'BertForMaskedLM', 'BertForSequenceClassification'],
  architecture: 'bert',
  defaults: () => bertDefaults,
  names: bertNames,
  rename: renameBert,
  describe: describeBert,
  writeTokenizer: writeBertTokenizer,
};

export const distilBert: Family = {
  ...bert,
  models: ['DistilBertModel', 'DistilBertForMaskedLM', 'DistilBertForSequenceClassification'],
  defaults: () => ({
    vocab_size: 30_522,
    max_position_embeddings: 512,
    n_layers: 6,
    n_heads: 12,
    dim: 768,
    hidden_dim: 3072,
    layer_norm_eps: 1e-12,
  }),
  names: distilBertNames,
  rename: (name, model) => (/^vocab_/.test(name) ? undefined : renameBert(withoutPrefix(name, 'distilbert.'), model)),
};

export const roberta: Family = {
  ...bert,
  models: ['RobertaModel', 'RobertaForSequenceClassification'],
  defaults: () => ({ ...bertDefaults, vocab_size: 50_265, pad_token_id: 1 }),
  rename: (name, model) => renameBert(withoutPrefix(name, 'roberta.'), model),
  change: cutPositions,
  describe(checkpoint, metadata) {
    describeBert(checkpoint, metadata);
    const { parameters } = checkpoint;
    metadata.u32('context_length', parameters.requiredInteger('max_position_embeddings') - positionOffset(checkpoint));
  },
  writeTokenizer: writeRobertaTokenizer,
};

export function describeBert(checkpoint: Checkpoint, metadata: Metadata): void {
  describeCommon(checkpoint, metadata);
  metadata.bool('attention.causal', false);
  if (isClassifier(checkpoint.model)) {
    metadata.u32('pooling_type', poolingTypes.rank);
    metadata.strings('classifier.output_labels', labelsOf(checkpoint));
  } else describePooling(checkpoint, metadata);
}

/** A reranker classifies a pair of texts. */
export function isClassifier(model: string): boolean {
  return model.endsWith('ForSequenceClassification');
}

function labelsOf({ config }: Checkpoint): string[] {
  const labels = Object.entries(asObject(config['id2label']));
  labels.sort(([a], [b]) => Number(a) - Number(b));
  return labels.length === 0 ? ['LABEL_0'] : labels.map(([, label]) => String(label));
}

export function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

export function renameBert(name: string, model: string): string | undefined {
  const bare = withoutPrefix(name, 'bert.')
    .replace(/\.gamma$/, '.weight')
    .replace(/\.beta$/, '.bias');
  if (bare === 'embeddings.position_ids' || /^(?:cls|lm_head)\./.test(bare)) return undefined;
  if (!isClassifier(model)) return /^pooler\./.test(bare) ? undefined : bare;
  // The first layer of the classifier is the pooler in BERT.
  return bare
    .replace(/^pooler\.dense\./, 'classifier.dense.')
    .replace(/^classifier\.(?=weight$|bias$)/, 'classifier.out_proj.');
}

/** RoBERTa counts positions from the one after the padding token. */
function positionOffset({ parameters }: Pick<Checkpoint, 'parameters'>): number {
  return 1 + parameters.requiredInteger('pad_token_id');
}

function cutPositions(source: SourceTensor, name: string, checkpoint: Pick<Checkpoint, 'parameters'>): TensorPiece {
  if (name !== 'embeddings.position_embeddings.weight') return { source };
  return { source: sliceRows(source, positionOffset(checkpoint), source.shape[0] ?? 0) };
}
