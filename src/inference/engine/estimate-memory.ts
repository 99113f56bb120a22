// How much main memory a model will take, before it is loaded: its files, its contexts, and the process around them.

import { stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { decideParallel } from '../protocol/decide-parallel.ts';
import type { EngineBuildName, LoadCommand, MemoryUse } from '../protocol/messages.ts';
import type { AcquireRequest } from './ports.ts';

export interface EstimateSettings {
  readonly build: EngineBuildName;
  readonly defaultContextLimit: number;
  /** 0: the runner decides. */
  readonly numParallel: number;
  readonly kvCacheType: LoadCommand['kvCacheType'];
  readonly cacheBudget?: number;
}

// What a runner takes beside the buffers that llama.cpp reports: Node and the libraries, 52 MiB with Ember.
const processBytes = 64 * 2 ** 20;
// And beside files and contexts: the buffers that it computes in, 50 MiB with Ember.
const runnerOverhead = processBytes + 86 * 2 ** 20;
// The share of the machine that is left to everything else, prefix shelves among it.
const reservedShare = 0.1;
const bytesPerValue = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 } as const;
// A token's part of the KV cache against the weights where nothing better is known: about what models of some
// billion weights in four to eight bits have.
const guessedTokensPerWeights = 2 ** 15;
// Nor can a context be longer than the model was trained with, which few are beyond this.
const guessedTrainedContext = 2 ** 15;

/** Bytes of main memory for all models together, where nobody says so. */
export function automaticMemoryBudget(): number {
  // What a container may have; a number beyond all memory where there is no limit.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(totalmem(), constrained) * (1 - reservedShare));
}

export function createMemoryEstimate(
  settings: EstimateSettings,
  sizeOf: (path: string) => Promise<number> = sizeOfFile,
): (request: AcquireRequest) => Promise<number> {
  return async (request) => {
    const { weightsPath, adapterPaths, projectorPath } = request.files;
    const weights = await sizeOf(weightsPath);
    const others = await Promise.all([...adapterPaths, ...(projectorPath ? [projectorPath] : [])].map(sizeOf));
    const onDevice = settings.build === 'cuda' || settings.build === 'vulkan';
    // A part of the layers stays here; how much of the weights that is, the file alone does not tell.
    if (onDevice && request.options.numGpu < 0) return runnerOverhead;
    return weights + sum(others) + contextBytes(settings, request, weights) + runnerOverhead;
  };
}

/** Bytes of main memory that a loaded model takes. */
export function measuredMemory({ totalBytes, deviceBytes }: MemoryUse): number {
  return totalBytes - deviceBytes + processBytes;
}

function contextBytes(settings: EstimateSettings, { options, shape }: AcquireRequest, weights: number): number {
  const wanted = options.numCtx ?? settings.defaultContextLimit;
  const length = Math.min(wanted, shape?.trainedContext || guessedTrainedContext);
  const perToken = shape
    ? shape.cacheValuesPerToken * bytesPerValue[settings.kvCacheType]
    : weights / guessedTokensPerWeights;
  const one = Math.ceil(length * perToken);
  return decideParallel(settings.numParallel, one, settings.cacheBudget) * one;
}

/** A file that is not there takes nothing: the load will say what is wrong with it. */
async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
