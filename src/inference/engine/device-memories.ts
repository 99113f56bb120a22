// The memory of GPUs for each engine: vision models have backends of their own. A GPU has the same name in both engines if
// the backend is the same, so that models of both count for each other.

import type { BackendAttempt } from '../backends/plan-backends.ts';
import { createDeviceMemory, type DeviceMemory, type DeviceMemoryOptions } from './device-memory.ts';
import type { LocalRequest } from './local-request.ts';
import { type DeviceBytes, noDeviceBytes } from './planning/device-bytes.ts';

export interface DeviceMemories {
  /** For the engine that the model needs. */
  of(request: Pick<LocalRequest, 'source'>): DeviceMemory;
  /** Asks again about the GPUs of that engine, unless that was done a moment ago. */
  refresh(request: Pick<LocalRequest, 'source'>): Promise<DeviceMemory>;
  /** Of the GPUs of both engines. */
  readonly budgets: DeviceBytes;
}

export interface DeviceMemoriesOptions extends Omit<DeviceMemoryOptions, 'planBackends'> {
  readonly planBackends: (needsVision: boolean) => Promise<readonly BackendAttempt[]>;
}

export function createDeviceMemories({ planBackends, ...options }: DeviceMemoriesOptions): DeviceMemories {
  const text = createDeviceMemory({ ...options, planBackends: () => planBackends(false) });
  const vision = createDeviceMemory({ ...options, planBackends: () => planBackends(true) });
  const known = new Map<DeviceMemory, DeviceBytes>();
  let budgets = noDeviceBytes;
  const of: DeviceMemories['of'] = (request) => (needsVision(request) ? vision : text);
  return {
    of,
    async refresh(request) {
      const memory = of(request);
      await memory.refresh();
      // The latest answer about a GPU counts, whichever engine gave it. Not every question is asked.
      if (known.get(memory) !== memory.budgets) budgets = new Map([...budgets, ...memory.budgets]);
      known.set(memory, memory.budgets);
      return memory;
    },
    get budgets() {
      return budgets;
    },
  };
}

export function needsVision({ source }: Pick<LocalRequest, 'source'>): boolean {
  return source.projectorPath !== undefined;
}
