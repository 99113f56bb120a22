// How an embedding model turns the vectors of tokens into one: from the files of sentence-transformers.

import { unusable } from '../files/checkpoint-error.ts';
import type { CheckpointFolder } from '../files/checkpoint-folder.ts';
import { asString, type ConfigObject, isUint32 } from '../files/json-object.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Metadata } from './metadata.ts';
import type { Module } from './modules.ts';

export const poolingTypes = { mean: 1, cls: 2, lasttoken: 3, rank: 4 } as const;

/** Nothing is written for a model without a pooling module. */
export function describePooling({ modules }: Checkpoint, metadata: Metadata): void {
  if (modules.some(({ kind }) => kind === 'Dense'))
    throw unusable('llama.cpp has no layer after the pooling for models of this family');
  writePooling(modules, metadata);
}

export function writePooling(modules: readonly Module[], metadata: Metadata): void {
  const pooling = modules.find(({ kind }) => kind === 'Pooling');
  if (pooling !== undefined) metadata.u32('pooling_type', poolingOf(pooling.settings));
}

function poolingOf(pooling: ConfigObject): number {
  if (pooling['pooling_mode_mean_tokens'] === true) return poolingTypes.mean;
  if (pooling['pooling_mode_cls_token'] === true) return poolingTypes.cls;
  if (pooling['pooling_mode_lasttoken'] === true) return poolingTypes.lasttoken;
  const mode = asString(pooling['pooling_mode']) ?? '';
  if (mode === 'mean' || mode === 'cls' || mode === 'lasttoken') return poolingTypes[mode];
  throw unusable('its pooling is neither of mean, cls and lasttoken');
}

/** The number of tokens at which sentence-transformers cuts a text; undefined if there is no such file. */
export async function readMaxTokens(folder: CheckpointFolder): Promise<number | undefined> {
  const tokens = (await folder.readObject('sentence_bert_config.json'))['max_seq_length'];
  return isUint32(tokens) && tokens > 0 ? tokens : undefined;
}
