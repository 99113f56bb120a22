// Estimates what each layer of a model takes on a GPU, and what stays in main memory.

import type { CacheTypes } from '../../../models/kv-cache-types.ts';
import type { ModelWeights } from '../ports.ts';
import {
  attentionBytes,
  contextBytes,
  draftBytes,
  type MemorySettings,
  type PlacementSettings,
  projectorBytes,
  runnerOverhead,
  type SizedRequest,
} from './estimate-memory.ts';
import type { LayerSizes } from './place-layers.ts';

interface SizedContext {
  readonly length: number;
  readonly parallel: number;
  readonly cacheTypes: CacheTypes;
}

// Compute buffers that do not depend on the model, and rounding.
const computeReserve = 32 * 2 ** 20;
// Values of this many times the width of a layer are live at once.
const liveWidths = 3;
const floatBytes = 4;
// With several GPUs, llama.cpp keeps this many copies of the inputs so that they work at the same time.
const inputCopies = 4;

/** `gpus`: how many the layers may be divided between. */
export function sizeLayers(
  request: SizedRequest,
  weights: ModelWeights,
  context: SizedContext,
  settings: MemorySettings & { readonly gpus: number },
): LayerSizes {
  const { numBatch, lowVram } = request.options;
  const cache = lowVram ? 0 : cacheBytes(request, context);
  const rows = Math.max(numBatch, context.parallel) * floatBytes;
  const activations = rows * weights.width * liveWidths;
  const mask = attentionBytes(request, settings, context.length) * (settings.gpus > 1 ? inputCopies : 1);
  const experts = weights.layers.map(({ expertBytes = 0 }) => expertBytes);
  return {
    experts,
    // For a prompt, llama.cpp copies the experts of a layer to the GPU.
    expertCompute: Math.max(...experts),
    layers: [...weights.layers.map(({ bytes, cacheShare }) => bytes + cache * cacheShare), weights.output],
    compute: computeReserve + activations + mask,
    // The logits are computed when the values of the layers are not needed anymore.
    // A draft model is small, so that it is not divided here.
    outputCompute: Math.max(rows * weights.vocabulary - activations, 0) + draftBytes(request, context.length),
  };
}

/** Main memory of a model with this number of layers on GPUs, as llama.cpp counts them. */
export function mainBytes(
  request: SizedRequest,
  weights: ModelWeights,
  context: SizedContext,
  settings: PlacementSettings & { readonly count: number; readonly expertLayers: number },
): number {
  const { layers, output, input } = weights;
  const { count, expertLayers } = settings;
  const cache = cacheBytes(request, context);
  const staying = layers.slice(0, Math.max(layers.length + 1 - count, 0));
  const experts = layers.slice(staying.length, Math.max(expertLayers, staying.length));
  const cacheShare = request.options.lowVram ? 1 : staying.reduce((sum, layer) => sum + layer.cacheShare, 0);
  const projector = count > 0 && settings.projectorOnGpu ? 0 : projectorBytes(request);
  return Math.ceil(
    runnerOverhead +
      attentionBytes(request, settings, context.length) +
      input +
      staying.reduce((sum, { bytes }) => sum + bytes, 0) +
      experts.reduce((sum, { expertBytes = 0 }) => sum + expertBytes, 0) +
      (count === 0 ? output + draftBytes(request, context.length) : 0) +
      projector +
      cache * cacheShare,
  );
}

function cacheBytes(request: SizedRequest, { length, parallel, cacheTypes }: SizedContext): number {
  return parallel * contextBytes(request, cacheTypes, length);
}
