// The load options in the terms of the runner. A new load option does not compile until it is read here.

import type { LoadOptions } from '../../models/options.ts';
import { assertNoneLeft } from './assert-none-left.ts';

export interface LoadSettings {
  /** Maximum prompt tokens in one pass. */
  readonly numBatch: number;
  /** -1: all of them. */
  readonly gpuLayers: number;
  /** 0: layers are spread over all GPUs. */
  readonly mainGpu: number;
  readonly cacheOnGpu: boolean;
  readonly vocabOnly: boolean;
  /** undefined: llama.cpp decides. */
  readonly mmap: boolean | undefined;
  readonly mlock: boolean;
  readonly numa: boolean;
  /** 0: one per physical core. */
  readonly threads: number;
}

export function toLoadSettings(options: LoadOptions): LoadSettings {
  // The server has decided about these: `contextLengths`, `cacheTypes` and `draftPath` of the command.
  const { numCtx: _, kvCacheTypeK: _k, kvCacheTypeV: _v, draftModel: _d, ...own } = options;
  const { numBatch, numGpu, mainGpu, lowVram, vocabOnly, useMmap, useMlock, numa, numThread, ...rest } = own;
  assertNoneLeft(rest);
  return {
    numBatch,
    gpuLayers: numGpu,
    mainGpu,
    cacheOnGpu: !lowVram,
    vocabOnly,
    mmap: useMmap,
    mlock: useMlock,
    numa,
    threads: numThread,
  };
}
