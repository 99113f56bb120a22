// Estimates the memory of a load, and decides which layers go to GPUs. A load uses what is free if the model has room there
// as planned. Otherwise it uses what is free after models of this server have left.

import type { PlannedRequest } from '../local-request.ts';
import type { ContextPlan } from './context-plan.ts';
import type { DeviceBytes } from './device-bytes.ts';
import type { PlacementSettings } from './estimate-memory.ts';
import type { GpuRoom } from './place-layers.ts';
import { isWhole, type LoadPlacement, planPlacement } from './plan-placement.ts';

export interface LoadEstimate {
  /** Main memory. */
  readonly bytes: number;
  /** Absent if no layers are on GPUs, or if nothing is known about them. */
  readonly placement?: LoadPlacement;
  /** Bytes on GPUs, for a load without a placement. */
  readonly devices?: DeviceBytes;
}

/** Bytes of the GPUs, in the order of the backend. */
interface GpuMemory {
  /** What no model of this server takes. */
  readonly free: DeviceBytes;
  /** What is free without the models of this server. */
  readonly budgets: DeviceBytes;
}

export function estimateLoad(
  request: PlannedRequest,
  plan: ContextPlan,
  settings: PlacementSettings,
  { free, budgets }: GpuMemory,
): LoadEstimate {
  const now = planPlacement(request, plan, settings, toRooms(free));
  const placement =
    now !== undefined && isAsPlanned(now, plan, free) ? now : planPlacement(request, plan, settings, toRooms(budgets));
  return placement === undefined ? { bytes: plan.bytes } : { bytes: placement.bytes, placement };
}

function isAsPlanned(placement: LoadPlacement, plan: ContextPlan, free: DeviceBytes): boolean {
  const { isAutomatic, lengths, devices } = placement;
  const fits = [...devices].every(([name, bytes]) => bytes <= (free.get(name) ?? 0));
  return fits && lengths[0] === plan.lengths[0] && (!isAutomatic || isWhole(placement));
}

function toRooms(devices: DeviceBytes): GpuRoom[] {
  return [...devices].map(([name, bytes]) => ({ name, bytes: Math.max(bytes, 0) }));
}
