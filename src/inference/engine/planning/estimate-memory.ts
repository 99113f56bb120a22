// Estimates the main memory of a model before it is loaded: its files, its contexts and the runner process. The sizes
// of contexts are the ones that llama.cpp reports (docs/adr/0031).

import { totalmem } from 'node:os';
import { bytesPerValue, type CacheTypes } from '../../../models/kv-cache-types.ts';
import type { MemoryUse } from '../../protocol/messages.ts';
import type { LocalRequest } from '../local-request.ts';
import type { DeviceBytes } from './device-bytes.ts';

/** What the sizes of a model depend on. */
export type SizedRequest = Pick<LocalRequest, 'source' | 'options' | 'shape' | 'draft'>;

export interface MemorySettings {
  readonly flashAttention: boolean | 'auto';
}

export interface PlacementSettings extends MemorySettings {
  /** Whether the projector of a vision model is on a GPU if layers of the model are. Absent: no. */
  readonly projectorOnGpu?: boolean;
}

// Memory of a runner that llama.cpp does not report: Node and the shared libraries. Measured with Ember: 52 MiB.
const processBytes = 64 * 2 ** 20;
// Adds the compute buffers without the part that grows with the context. Measured with Ember: 15 MiB, and with larger
// vocabularies more.
export const runnerOverhead = processBytes + 82 * 2 ** 20;
// The share of memory that is left to everything else, including prefix caches.
const reservedShare = 0.1;
// llama.cpp rounds the length of a context up to a multiple of this.
const contextGranularity = 256;
// If the model's shape is unknown: one token of KV cache per this share of the weights. Typical of models with a few
// billion parameters in 4 to 8 bits.
export const guessedTokensPerWeights = 2 ** 15;
// Few models are trained with more. The runner knows, and does not use a longer context than the trained one.
export const guessedTrainedLength = 2 ** 15;

/** Bytes of main memory for all models in total if the setting is 0. */
export function automaticMemoryBudget(): number {
  // The limit of the container; larger than all memory if there is none.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(totalmem(), constrained) * (1 - reservedShare));
}

/** Bytes of the KV cache of one request. */
export function contextBytes(request: SizedRequest, types: CacheTypes, length: number): number {
  return cacheBytes(request.source, request.shape, types, length);
}

function cacheBytes(
  { fileBytes }: { readonly fileBytes: number },
  shape: SizedRequest['shape'],
  { keys, values }: CacheTypes,
  length: number,
): number {
  const cells = Math.ceil(limitLength(shape, length) / contextGranularity) * contextGranularity;
  if (shape === undefined) return Math.ceil((cells * fileBytes) / guessedTokensPerWeights);
  const perToken = shape.keysPerToken * bytesPerValue(keys) + shape.valuesPerToken * bytesPerValue(values);
  return Math.ceil(cells * perToken);
}

/** Bytes of a model in main memory besides its KV cache. */
export function fixedBytes(request: SizedRequest, settings: MemorySettings, length: number): number {
  const ownBytes = request.source.fileBytes + attentionBytes(request, settings, length);
  return runnerOverhead + ownBytes + draftBytes(request, length);
}

/** A draft model has a context for one request, in f16. */
export function draftBytes({ draft }: SizedRequest, length: number): number {
  if (draft === undefined) return 0;
  return draft.fileBytes + cacheBytes(draft, draft.shape, { keys: 'f16', values: 'f16' }, length);
}

/** Bytes of the projector of a vision model where it computes. Its compute buffers depend on the size of images: for
 * large ones they are about as large as the projector. */
export function projectorBytes({ source }: SizedRequest): number {
  return 2 * (source.projectorBytes ?? 0);
}

/** The part of the compute buffers that grows with the context. The mask of the attention has a row for each token of a
 * pass and a column for each token of the context. Without flash attention, there are also the scores of every head. */
export function attentionBytes(
  { shape, options }: SizedRequest,
  { flashAttention }: MemorySettings,
  length: number,
): number {
  const perCell = flashAttention === false ? 4 * (shape?.heads ?? 0) + 4 : 2;
  return limitLength(shape, length) * options.numBatch * perCell;
}

function limitLength(shape: SizedRequest['shape'], length: number): number {
  return Math.min(length, shape?.trainedContext ?? guessedTrainedLength);
}

/** Bytes of main memory of a loaded model. An integrated GPU uses main memory. */
export function measuredMemory({ totalBytes, deviceBytes, devices = [] }: MemoryUse): number {
  const shared = devices.reduce((sum, { bytes, isUnified }) => sum + (isUnified ? bytes : 0), 0);
  return totalBytes - deviceBytes + shared + processBytes;
}

/** Bytes of a loaded model on GPUs that have memory of their own. */
export function measuredDevices({ devices = [] }: MemoryUse): DeviceBytes {
  return new Map(devices.flatMap(({ name, bytes, isUnified }) => (isUnified ? [] : [[name, bytes] as const])));
}
