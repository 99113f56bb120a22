// The load options in the terms of the runner. A new load option does not compile until it is read here.

import type { LoadOptions, SplitMode } from '../../../models/options.ts';
import { parseShares } from '../../../models/shares.ts';
import { parseOverrides, type TensorOverride } from '../../../models/tensor-overrides.ts';

export interface LoadSettings {
  /** Maximum prompt tokens in one pass. */
  readonly numBatch: number;
  /** -1: all of them. */
  readonly gpuLayers: number;
  /** The GPU of a model that is not split. */
  readonly mainGpu: number;
  readonly splitMode: SplitMode;
  /** Shares of the GPUs. Absent: llama.cpp divides by free memory. */
  readonly shares: readonly number[] | undefined;
  /** The number of layers, from the first on, whose experts stay in main memory. */
  readonly expertLayers: number;
  readonly overrides: readonly TensorOverride[];
  readonly cacheOnGpu: boolean;
  readonly vocabOnly: boolean;
  /** Whether the prediction head of the model drafts tokens. */
  readonly predictionHead: boolean;
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
  const { numBatch, numGpu, mainGpu, splitMode, tensorSplit, lowVram, numCpuMoe, overrideTensor = '', ...others } = own;
  const { vocabOnly, predictionHead, useMmap, useMlock, numa, numThread, ...rest } = others;
  assertNoneLeft(rest);
  return {
    numBatch,
    gpuLayers: numGpu,
    mainGpu,
    // A main GPU means "only this one".
    splitMode: splitMode ?? (mainGpu > 0 ? 'none' : 'layer'),
    shares: parseShares(tensorSplit),
    expertLayers: Math.max(numCpuMoe, 0),
    overrides: parseOverrides(overrideTensor) ?? [],
    cacheOnGpu: !lowVram,
    vocabOnly,
    predictionHead,
    mmap: useMmap,
    mlock: useMlock,
    numa,
    threads: numThread,
  };
}

interface LoadedOn {
  /** The layers of the model, without the output, if they are known. */
  readonly layers: number | undefined;
  readonly gpus: number;
}

/**
 * What GPUs compute of a model. The processor computes experts and other tensors that stay in main memory, although all layers
 * are on GPUs.
 */
export function shareOfGpus(settings: LoadSettings, { layers, gpus }: LoadedOn): 'nothing' | 'part' | 'all' {
  if (gpus === 0) return 'nothing';
  const { gpuLayers, expertLayers, overrides, cacheOnGpu } = settings;
  // The output counts as a layer.
  const isWhole = gpuLayers < 0 || gpuLayers > (layers ?? Number.POSITIVE_INFINITY);
  return isWhole && expertLayers === 0 && overrides.length === 0 && cacheOnGpu ? 'all' : 'part';
}

/** Makes the destructuring of an options object exhaustive: an option that was not taken out of it does not compile. */
export function assertNoneLeft(_rest: Readonly<Record<string, never>>): void {}
