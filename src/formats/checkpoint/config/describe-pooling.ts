// How an embedding model turns the vectors of tokens into one: from the files of sentence-transformers.

import { unusable } from '../files/checkpoint-error.ts';
import type { CheckpointFolder } from '../files/checkpoint-folder.ts';
import { asString, type ConfigObject, isUint32, objectsOf } from '../files/json-object.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Metadata } from './metadata.ts';

export const poolingTypes = { mean: 1, cls: 2, lasttoken: 3, rank: 4 } as const;

/** The settings of the first module of each kind. */
export async function readModules(folder: CheckpointFolder): Promise<Map<string, ConfigObject>> {
  const modules = new Map<string, ConfigObject>();
  for (const { type, path } of objectsOf(await folder.readJson('modules.json'))) {
    const kind = asString(type)?.split('.').at(-1);
    if (kind === undefined || modules.has(kind)) continue;
    modules.set(kind, path === '' ? {} : await folder.readObject(`${asString(path)}/config.json`));
  }
  return modules;
}

/** Nothing is written for a model without a pooling module. */
export function describePooling({ modules }: Checkpoint, metadata: Metadata): void {
  const pooling = modules.get('Pooling');
  if (pooling !== undefined) metadata.u32('pooling_type', poolingOf(pooling));
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
