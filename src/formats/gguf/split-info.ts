// Models split by llama.cpp's gguf-split: each file has its number and the count of files. The first file has the
// metadata of the model. Each has tensors, except that the first may have none.

import { malformed } from './byte-reader.ts';
import { ggufLimits } from './limits.ts';
import type { Gguf } from './read-gguf.ts';

export interface SplitInfo {
  /** From 0. */
  readonly number: number;
  /** Files of the model; at least 2. */
  readonly count: number;
  /** Tensors in all files together. */
  readonly tensors: number;
}

const splitPrefix = 'split.';

export function isSplitKey(key: string): boolean {
  return key.startsWith(splitPrefix);
}

/** Undefined for a model in one file. */
export function splitInfoOf({ metadata }: Pick<Gguf, 'metadata'>): SplitInfo | undefined {
  const read = (key: string, max: number): number => {
    const value = metadata.get(key);
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value;
    throw malformed(`${key} is ${typeof value === 'number' ? value : 'not a number'}`);
  };
  if (!metadata.has('split.count')) return undefined;
  const count = read('split.count', ggufLimits.splitFiles);
  // gguf-split writes 0 into merged files and 1 if one file was enough. llama.cpp then looks for no other files.
  if (count < 2) return undefined;
  return { number: read('split.no', count - 1), count, tensors: read('split.tensors.count', ggufLimits.tensors) };
}
