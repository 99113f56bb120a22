// Estimates the main memory of a model before it is loaded: its files, its contexts and the runner process.

import { stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { decideParallel } from '../protocol/decide-parallel.ts';
import type { EngineBuildName, LoadCommand, MemoryUse } from '../protocol/messages.ts';
import type { LocalRequest } from './local-request.ts';

export interface EstimateSettings {
  readonly build: EngineBuildName;
  readonly defaultContextLimit: number;
  /** 0: automatic. */
  readonly numParallel: number;
  readonly kvCacheType: LoadCommand['kvCacheType'];
  readonly cacheBudget?: number;
}

// Memory of a runner that llama.cpp does not report: Node and the shared libraries. Measured with Ember: 52 MiB.
const processBytes = 64 * 2 ** 20;
// Adds the compute buffers. Measured with Ember: 50 MiB.
const runnerOverhead = processBytes + 86 * 2 ** 20;
// The share of memory that is left to everything else, including prefix caches.
const reservedShare = 0.1;
const bytesPerValue = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 } as const;
// If the model's shape is unknown: one token of KV cache per this share of the weights. Typical of models with a few
// billion parameters in 4 to 8 bits.
const guessedTokensPerWeights = 2 ** 15;
// Few models are trained with more.
const guessedTrainedContext = 2 ** 15;

/** Bytes of main memory for all models in total if the setting is 0. */
export function automaticMemoryBudget(): number {
  // The limit of the container; larger than all memory if there is none.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(totalmem(), constrained) * (1 - reservedShare));
}

export function createMemoryEstimate(
  settings: EstimateSettings,
  sizeOf: (path: string) => Promise<number> = sizeOfFile,
): (request: LocalRequest) => Promise<number> {
  return async (request) => {
    const { weightsPath, adapterPaths, projectorPath } = request.source;
    const weights = await sizeOf(weightsPath);
    const others = await Promise.all([...adapterPaths, ...(projectorPath ? [projectorPath] : [])].map(sizeOf));
    const onDevice = settings.build === 'cuda' || settings.build === 'vulkan';
    // Some layers stay in main memory, but the file does not tell how large they are.
    if (onDevice && request.options.numGpu < 0) return runnerOverhead;
    return weights + sum(others) + contextBytes(settings, request, weights) + runnerOverhead;
  };
}

/** Bytes of main memory of a loaded model. */
export function measuredMemory({ totalBytes, deviceBytes }: MemoryUse): number {
  return totalBytes - deviceBytes + processBytes;
}

function contextBytes(settings: EstimateSettings, { options, shape }: LocalRequest, weights: number): number {
  const requested = options.numCtx ?? settings.defaultContextLimit;
  const length = Math.min(requested, shape?.trainedContext || guessedTrainedContext);
  const perToken = shape
    ? shape.cacheValuesPerToken * bytesPerValue[settings.kvCacheType]
    : weights / guessedTokensPerWeights;
  const one = Math.ceil(length * perToken);
  return decideParallel(settings.numParallel, one, settings.cacheBudget) * one;
}

/** 0 for a missing file: the load reports the error. */
async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
