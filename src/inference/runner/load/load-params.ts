// Turns a load command into the parameters of llama.cpp. Pure, so that options for missing hardware can be tested.

import type { GgufMetadata } from '../../../formats/gguf/metadata.ts';
import { kvCacheTypes } from '../../../models/kv-cache-types.ts';
import type { LoadCommand } from '../../protocol/messages.ts';
import type { ContextParams, ModelParams } from '../llama/bindings/structs.ts';
import { type LoadSettings, toLoadSettings } from './load-settings.ts';

const loadMode = { read: 0, mmap: 1, readLocked: 2, mmapLocked: 3 } as const;
const splitMode = { none: 0, layer: 1, row: 2 } as const;
// llama.cpp reads as many shares as it supports GPUs.
const maxGpus = 16;
const flashAttention = { auto: -1, off: 0, on: 1 } as const;

interface ModelTraits {
  /** The header of a model that evaluates several sequences at a time. */
  readonly metadata?: GgufMetadata;
  /** Whether its prediction head is loaded, too. */
  readonly loadsHead?: boolean;
}

export function toModelParams(
  defaults: ModelParams,
  settings: LoadSettings,
  { metadata = new Map(), loadsHead = false }: ModelTraits = {},
): ModelParams {
  return {
    ...defaults,
    ...(loadsHead ? { load_mtp: true } : {}),
    use_extra_bufts: defaults.use_extra_bufts && !hasState(metadata),
    n_gpu_layers: settings.gpuLayers,
    split_mode: splitMode[settings.splitMode],
    main_gpu: settings.mainGpu,
    tensor_split: toTensorSplit(settings) ?? defaults.tensor_split,
    load_mode: toLoadMode(settings) ?? defaults.load_mode,
    vocab_only: settings.vocabOnly,
  };
}

// After the name of the architecture.
const stateKey = /^[^.]+\.(ssm|shortconv|wkv)\./;

/**
 * Whether a model has a recurrent state. Then llama.cpp multiplies a matrix for each sequence of a pass. Its kernels for
 * weights in buffers of their own (AMX) expect a single one and read beyond their memory.
 */
function hasState(metadata: GgufMetadata): boolean {
  return [...metadata.keys()].some((key) => stateKey.test(key));
}

/** llama.cpp copies the shares. */
function toTensorSplit({ splitMode: mode, shares }: LoadSettings): Float32Array | undefined {
  if (mode === 'none' || shares === undefined) return undefined;
  return Float32Array.from({ length: maxGpus }, (_, index) => shares[index] ?? 0);
}

function toLoadMode({ mmap, mlock }: LoadSettings): number | undefined {
  if (mlock) return mmap === false ? loadMode.readLocked : loadMode.mmapLocked;
  if (mmap === undefined) return undefined;
  return mmap ? loadMode.mmap : loadMode.read;
}

/** A load command with its options as settings. */
export type LoadPlan = Omit<LoadCommand, 'type' | 'options'> & { readonly settings: LoadSettings };

export function toLoadPlan({ type: _, options, ...command }: LoadCommand): LoadPlan {
  return { ...command, settings: toLoadSettings(options) };
}

export interface ContextShape {
  readonly contextLength: number;
  readonly parallel: number;
  readonly threads: number;
  /** Whether a prediction head drafts, so that a recurrent state has to forget wrong drafts. */
  readonly loadsHead?: boolean;
}

// Drafts have as many tokens at most if a recurrent state verifies them. Each takes the memory of one more state per request.
const headRollback = 3;

export function toContextParams(defaults: ContextParams, plan: LoadPlan, shape: ContextShape): ContextParams {
  return {
    ...defaults,
    ...(shape.loadsHead === true ? { n_rs_seq: headRollback } : {}),
    n_ctx: shape.contextLength * shape.parallel,
    n_batch: batchCapacity(plan.settings, shape),
    n_ubatch: Math.max(plan.settings.numBatch, shape.parallel),
    n_seq_max: shape.parallel,
    n_threads: shape.threads,
    n_threads_batch: shape.threads,
    flash_attn_type: toFlashAttention(plan.flashAttention),
    type_k: kvCacheTypes[plan.cacheTypes.keys].number,
    type_v: kvCacheTypes[plan.cacheTypes.values].number,
    offload_kqv: plan.settings.cacheOnGpu,
    kv_unified: false,
  };
}

/** A pass has room for the largest part of a prompt and one token of each sequence. */
export function batchCapacity({ numBatch }: LoadSettings, { parallel }: ContextShape): number {
  return numBatch + parallel;
}

export function toFlashAttention(mode: boolean | 'auto'): number {
  if (mode === 'auto') return flashAttention.auto;
  return mode ? flashAttention.on : flashAttention.off;
}

/** The lengths to try, at most the model's trained context length. */
export function decideContextLengths({ contextLengths }: Pick<LoadPlan, 'contextLengths'>, trained: number): number[] {
  const known = trained > 0 ? trained : Number.POSITIVE_INFINITY;
  return [...new Set(contextLengths.map((length) => Math.min(length, known)))];
}
