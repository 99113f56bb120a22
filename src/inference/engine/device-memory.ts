// How many bytes models may take on each GPU: what is free there, plus what the models of this server take, less a
// reserve. Asked before loads, because other programs use GPUs too.

import type { Clock } from '../../base/time/clock.ts';
import type { BackendAttempt } from '../backends/plan-backends.ts';
import type { EngineDevice } from '../protocol/engine-description.ts';
import { type DeviceBytes, noDeviceBytes } from './planning/device-bytes.ts';
import type { GpuRoom } from './planning/place-layers.ts';

export type GpuFacts = Pick<EngineDevice, 'name' | 'freeBytes' | 'totalBytes'>;

/** GPUs of a backend that have memory of their own, in the order of the backend. None if it does not work. */
export type ListGpus = (attempt: BackendAttempt) => Promise<readonly GpuFacts[]>;

/** What the models of this server take. */
export interface OwnUse {
  readonly devices: DeviceBytes;
  /** A model is being loaded or unloaded: what is free at the moment says nothing. */
  readonly isChanging: boolean;
}

export interface DeviceMemoryOptions {
  readonly planBackends: () => Promise<readonly BackendAttempt[]>;
  readonly listGpus: ListGpus;
  /** Bytes to leave free on each GPU. */
  readonly reserve: number;
  readonly ownUse: () => OwnUse;
  readonly clock: Clock;
}

// Longer than a burst of requests, shorter than other programs take to start.
const validityNs = 2e9;

export function createDeviceMemory(options: DeviceMemoryOptions) {
  const { planBackends, listGpus, reserve, ownUse, clock } = options;
  let backend: string | undefined;
  let budgets = noDeviceBytes;
  let sizes: readonly GpuRoom[] = [];
  let encodesImages = false;
  let question: Promise<void> | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    for (const attempt of await planBackends()) {
      const gpus = await listGpus(attempt);
      if (gpus.length === 0) continue;
      // A load that has begun since makes the answer useless.
      if (ownUse().isChanging && backend === attempt.name) return;
      backend = attempt.name;
      encodesImages = attempt.visionEngine !== undefined;
      const { devices } = ownUse();
      budgets = new Map(gpus.map((gpu) => [gpu.name, budgetOf(gpu, devices.get(gpu.name) ?? 0)]));
      sizes = gpus.map(({ name, totalBytes }) => ({ name, bytes: Math.max(totalBytes - reserve, 0) }));
      return;
    }
  };

  const budgetOf = ({ freeBytes, totalBytes }: GpuFacts, own: number): number =>
    Math.max(Math.min(freeBytes + own, totalBytes) - reserve, 0);

  const refresh = (): Promise<void> => {
    if (ownUse().isChanging && backend !== undefined) return Promise.resolve();
    if (question !== undefined) return question;
    if (clock.monotonic() - answeredAt < validityNs) return Promise.resolve();
    // Without an answer, the last one stays valid. The load reports what is wrong.
    question = ask()
      .catch(() => {})
      .finally(() => {
        question = undefined;
        answeredAt = clock.monotonic();
      });
    return question;
  };
  let first: Promise<void> | undefined;

  return {
    /** The backend that has the GPUs. */
    get backend(): string | undefined {
      return backend;
    },
    /** Empty if there are no GPUs, and before the first question. */
    get budgets(): DeviceBytes {
      return budgets;
    },
    /** The size of each GPU, less the reserve. Does not depend on what is free. */
    get sizes(): readonly GpuRoom[] {
      return sizes;
    },
    /** Whether vision models encode images there. */
    get encodesImages(): boolean {
      return encodesImages;
    },
    /** Resolves when the GPUs are known. Asks only once. */
    ready(): Promise<void> {
      first ??= refresh();
      return first;
    },
    /** Asks again, unless that was done a moment ago. */
    refresh,
  };
}
