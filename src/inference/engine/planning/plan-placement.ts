// Decides before a load which layers go to which GPU, and how much memory the load takes there and in main memory. The
// entire model on GPUs is worth more than a longer context.

import type { LoadOptions } from '../../../models/options.ts';
import { parseShares } from '../../../models/shares.ts';
import type { PlannedRequest } from '../local-request.ts';
import type { ContextPlan } from './context-plan.ts';
import { addDevices, type DeviceBytes, noDeviceBytes } from './device-bytes.ts';
import { type PlacementSettings, projectorBytes } from './estimate-memory.ts';
import { mainBytes, sizeLayers } from './layer-sizes.ts';
import { type GpuRoom, type Placement, placeLayers, reduceLayers } from './place-layers.ts';

export interface LoadPlacement extends Placement {
  /** Layers of the model, with the output. */
  readonly total: number;
  /** Whether another number of layers may be used. */
  readonly isAutomatic: boolean;
  /** Whether experts of more or fewer layers may be in main memory. */
  readonly movesExperts: boolean;
  /** Context lengths to try. */
  readonly lengths: readonly number[];
  /** What llama.cpp is told. */
  readonly options: Pick<LoadOptions, 'numGpu' | 'tensorSplit' | 'numCpuMoe'>;
  /** Estimated main memory. */
  readonly bytes: number;
}

/** Undefined if the model uses no GPU, or if nothing is known about its layers. */
export function planPlacement(
  request: PlannedRequest,
  plan: ContextPlan,
  settings: PlacementSettings,
  gpus: readonly GpuRoom[],
): LoadPlacement | undefined {
  const weights = request.shape?.weights;
  const rooms = usableGpus(request, settings, gpus);
  if (weights === undefined || rooms.length === 0) return undefined;
  const { numGpu, tensorSplit, numCpuMoe } = request.options;
  const isAutomatic = numGpu < 0;
  const movesExperts = numCpuMoe < 0;
  const shares = parseShares(tensorSplit);
  const rules = {
    ...(isAutomatic ? {} : { count: numGpu }),
    ...(movesExperts ? {} : { expertLayers: numCpuMoe }),
    shares,
  };
  const total = weights.layers.length + 1;
  const placeAt = (index: number): LoadPlacement => {
    const context = { ...plan, length: plan.lengths[index] ?? plan.length };
    const sizes = sizeLayers(request, weights, context, { ...settings, gpus: rooms.length });
    const placement = placeLayers(sizes, rooms, rules);
    const { count, split, expertLayers } = placement;
    return {
      ...placement,
      devices: count === 0 ? placement.devices : addDevices(placement.devices, projectorUse(request, settings, gpus)),
      total,
      isAutomatic,
      movesExperts,
      lengths: plan.lengths.slice(index),
      options: { numGpu: count, tensorSplit: tensorSplit ?? toTensorSplit(split), numCpuMoe: expertLayers },
      bytes: mainBytes(request, weights, context, { ...settings, count, expertLayers }),
    };
  };
  const placements = isAutomatic ? plan.lengths.map((_, index) => placeAt(index)) : [];
  return placements.find(isWhole) ?? placements[0] ?? placeAt(0);
}

/** Nothing is in main memory that could be on GPUs, except what the options keep there. */
export function isWhole({ count, total, expertLayers, movesExperts }: LoadPlacement): boolean {
  return count === total && (expertLayers === 0 || !movesExperts);
}

/** For another attempt after GPU memory did not suffice. Undefined if there is nothing to reduce. */
export function reducePlacement(placement: LoadPlacement): LoadPlacement | undefined {
  const { isAutomatic, options } = placement;
  const fewerExperts = moveExperts(placement);
  if (isAutomatic && fewerExperts !== undefined) return fewerExperts;
  const split = reduceLayers(placement);
  const count = split.reduce((sum, part) => sum + part, 0);
  if (!isAutomatic || count === 0) return undefined;
  const tensorSplit =
    options.tensorSplit === toTensorSplit(placement.split) ? toTensorSplit(split) : options.tensorSplit;
  return { ...placement, count, split, options: { ...options, numGpu: count, tensorSplit } };
}

// Like the share of layers that a second attempt gives up.
const movedShare = 0.25;

/** With the experts of more layers in main memory, if some are there. Undefined if all are. */
function moveExperts(placement: LoadPlacement): LoadPlacement | undefined {
  const { expertLayers, movesExperts, total, options } = placement;
  if (!movesExperts || expertLayers === 0 || expertLayers >= total - 1) return undefined;
  const moved = Math.min(expertLayers + Math.ceil(total * movedShare), total - 1);
  return { ...placement, expertLayers: moved, options: { ...options, numCpuMoe: moved } };
}

/** The GPUs that llama.cpp uses with these options, with the room for layers. */
export function usableGpus(
  request: PlannedRequest,
  settings: PlacementSettings,
  gpus: readonly GpuRoom[],
): readonly GpuRoom[] {
  const { numGpu, mainGpu, splitMode, vocabOnly } = request.options;
  if (numGpu === 0 || vocabOnly) return [];
  const isAlone = splitMode === 'none' || (splitMode === undefined && mainGpu > 0);
  const taken = projectorUse(request, settings, gpus);
  return (isAlone ? gpus.slice(mainGpu, mainGpu + 1) : gpus).map(({ name, bytes }) => ({
    name,
    bytes: Math.max(bytes - (taken.get(name) ?? 0), 0),
  }));
}

/** A projector is on one GPU, if the model has layers on any. The runner chooses the same one. */
function projectorUse(
  request: PlannedRequest,
  { projectorOnGpu = false }: PlacementSettings,
  gpus: readonly GpuRoom[],
): DeviceBytes {
  const gpu = gpus[request.options.mainGpu] ?? gpus[0];
  const bytes = projectorOnGpu ? projectorBytes(request) : 0;
  return gpu === undefined || bytes === 0 ? noDeviceBytes : new Map([[gpu.name, bytes]]);
}

/** One GPU has everything. */
function toTensorSplit(split: readonly number[]): string | undefined {
  return split.length > 1 && split.some((count) => count > 0) ? split.join(',') : undefined;
}
