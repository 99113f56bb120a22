// From a load command to the parameters of llama.cpp: pure, so that options for hardware that is not here can be
// tested too.

import type { LoadCommand } from '../protocol/messages.ts';
import type { ContextParams, ModelParams } from './llama/bindings/structs.ts';

const loadMode = { read: 0, mmap: 1, readLocked: 2, mmapLocked: 3 } as const;
const splitMode = { none: 0, layer: 1 } as const;
const flashAttention = { auto: -1, off: 0, on: 1 } as const;
const cacheTypes = {
  f16: { number: 1, bytesPerValue: 2 },
  q8_0: { number: 8, bytesPerValue: 34 / 32 },
  q4_0: { number: 2, bytesPerValue: 18 / 32 },
} as const;

export function toModelParams(defaults: ModelParams, command: LoadCommand): ModelParams {
  return {
    ...defaults,
    n_gpu_layers: command.numGpu,
    // A main GPU means "this one alone"; without one the layers are spread over all.
    split_mode: command.mainGpu > 0 ? splitMode.none : splitMode.layer,
    main_gpu: command.mainGpu,
    load_mode: toLoadMode(command) ?? defaults.load_mode,
    vocab_only: command.vocabOnly,
  };
}

function toLoadMode({ useMmap, useMlock }: LoadCommand): number | undefined {
  if (useMlock) return useMmap === false ? loadMode.readLocked : loadMode.mmapLocked;
  if (useMmap === undefined) return undefined;
  return useMmap ? loadMode.mmap : loadMode.read;
}

export interface ContextShape {
  readonly contextLength: number;
  readonly parallel: number;
  readonly threads: number;
}

export function toContextParams(defaults: ContextParams, command: LoadCommand, shape: ContextShape): ContextParams {
  const { number: cacheType } = cacheTypes[command.kvCacheType];
  return {
    ...defaults,
    n_ctx: shape.contextLength * shape.parallel,
    n_batch: batchCapacity(command, shape),
    n_ubatch: Math.max(command.numBatch, shape.parallel),
    n_seq_max: shape.parallel,
    n_threads: shape.threads,
    n_threads_batch: shape.threads,
    flash_attn_type: toFlashAttention(command.flashAttention),
    type_k: cacheType,
    type_v: cacheType,
    offload_kqv: !command.lowVram,
    kv_unified: false,
  };
}

/** A pass can hold the largest part of a prompt beside a token for everybody. */
export function batchCapacity({ numBatch }: LoadCommand, { parallel }: ContextShape): number {
  return numBatch + parallel;
}

export function toFlashAttention(wanted: boolean | 'auto'): number {
  if (wanted === 'auto') return flashAttention.auto;
  return wanted ? flashAttention.on : flashAttention.off;
}

/** What was asked for, but never more than the model was trained with. */
export function decideContextLength(command: LoadCommand, trained: number): number {
  const known = trained > 0 ? trained : Number.POSITIVE_INFINITY;
  return Math.min(command.numCtx ?? command.defaultContextLimit, known);
}

export interface CacheShape {
  readonly layers: number;
  readonly kvWidth: number;
  readonly kvCacheType: LoadCommand['kvCacheType'];
}

export function cacheBytesPerToken({ layers, kvWidth, kvCacheType }: CacheShape): number {
  return Math.ceil(2 * layers * kvWidth * cacheTypes[kvCacheType].bytesPerValue);
}
