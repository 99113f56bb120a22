// Models in several files, as llama.cpp's gguf-split writes them: each file says which one it is, of how many. The
// first has the model's metadata, each has tensors of its own (the first perhaps none).

import { malformed } from './byte-reader.ts';
import { limits } from './limits.ts';
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

/** Undefined for a file that is a whole model. */
export function splitInfoOf({ metadata }: Pick<Gguf, 'metadata'>): SplitInfo | undefined {
  const read = (key: string, most: number): number => {
    const value = metadata.get(key);
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value;
    throw malformed(`${key} is ${typeof value === 'number' ? value : 'not a number'}`);
  };
  if (!metadata.has('split.count')) return undefined;
  const count = read('split.count', limits.splitFiles);
  // gguf-split leaves a 0 in what it merges, and a 1 where one file was enough. llama.cpp looks for no others then.
  if (count < 2) return undefined;
  return { number: read('split.no', count - 1), count, tensors: read('split.tensors.count', limits.tensors) };
}
