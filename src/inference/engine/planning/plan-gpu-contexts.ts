// The memory of GPUs for the contexts of a model. Depends on how large the GPUs are, not on what is free at the moment, so
// that the plan of a context does not change.

import type { CacheTypes } from '../../../models/kv-cache-types.ts';
import { parseShares } from '../../../models/shares.ts';
import type { PlannedRequest } from '../local-request.ts';
import type { PlacementSettings } from './estimate-memory.ts';
import { sizeLayers } from './layer-sizes.ts';
import { type GpuRoom, placeLayers } from './place-layers.ts';
import { usableGpus } from './plan-placement.ts';

export interface GpuContexts {
  /** Memory of the GPUs that the model uses. */
  readonly bytes: number;
  /** Bytes that the model takes there besides its KV cache. */
  fixedBytes(length: number): number;
}

interface GpuSettings extends PlacementSettings {
  readonly gpus?: readonly GpuRoom[];
}

/** Undefined if not all layers fit on GPUs with a single short context, or if the contexts are in main memory anyway. */
export function planGpuContexts(
  request: PlannedRequest,
  { length, cacheTypes }: { readonly length: number; readonly cacheTypes: CacheTypes },
  settings: GpuSettings,
): GpuContexts | undefined {
  const { numGpu, lowVram, tensorSplit } = request.options;
  const weights = request.shape?.weights;
  const rooms = usableGpus(request, settings, settings.gpus ?? []);
  if (weights === undefined || lowVram || rooms.length === 0) return undefined;
  if (numGpu >= 0 && numGpu <= weights.layers.length) return undefined;
  const sizesAt = (context: { readonly length: number; readonly parallel: number }) =>
    sizeLayers(request, weights, { ...context, cacheTypes }, { ...settings, gpus: rooms.length });
  const shares = parseShares(tensorSplit);
  const { count } = placeLayers(sizesAt({ length, parallel: 1 }), rooms, shares ? { shares } : {});
  if (count <= weights.layers.length) return undefined;
  return {
    bytes: rooms.reduce((sum, room) => sum + room.bytes, 0),
    fixedBytes(contextLength) {
      const { layers, compute, outputCompute } = sizesAt({ length: contextLength, parallel: 0 });
      return layers.reduce((sum, bytes) => sum + bytes, compute * rooms.length + outputCompute);
    },
  };
}
