// Decides which backends a load tries, and in which order. The last one computes on the CPU.

import type { EngineBuildName } from '../protocol/messages.ts';
import { type BackendName, backendTable } from './backend-table.ts';
import { hasMetal, type Machine } from './engine-package.ts';
import { type FoundBackend, isBackendName } from './find-backends.ts';

/** One way to load a model. */
export interface BackendAttempt {
  /** For people: `cuda`, `metal`, `cpu`. */
  readonly name: string;
  readonly build: EngineBuildName;
  /** Shared libraries that ggml loads in addition to its own. */
  readonly libraries: readonly string[];
}

export interface BackendPlanInput {
  readonly build: EngineBuildName;
  readonly found: readonly FoundBackend[];
  /** The CUDA builds, best first. */
  readonly cudaOrder: readonly BackendName[];
  readonly machine: Machine;
}

const onCpu: BackendAttempt = { name: 'cpu', build: 'cpu', libraries: [] };

export function planBackends({ build, found, cudaOrder, machine }: BackendPlanInput): BackendAttempt[] {
  if (build === 'cpu') return [onCpu];
  const rankOf = (backend: FoundBackend): number => rank(backend, cudaOrder);
  const gpus = found
    .filter((backend) => !backend.outdated && isRequested(build, backend.name))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map(({ name, libraries }): BackendAttempt => ({ name, build, libraries }));
  const metal: BackendAttempt[] =
    hasMetal(machine) && (build === 'auto' || build === 'metal') ? [{ name: 'metal', build, libraries: [] }] : [];
  return [...gpus, ...metal, onCpu];
}

/** Vision models have packages of their own, which their runner finds. */
export function planVisionBackends(build: EngineBuildName): BackendAttempt[] {
  return build === 'cpu' ? [onCpu] : [{ name: build, build, libraries: [] }, onCpu];
}

function isRequested(build: EngineBuildName, name: string): boolean {
  if (build === 'auto') return true;
  return (isBackendName(name) ? backendTable[name].family : name) === build;
}

/** The user's own libraries, CUDA, everything else. The sort keeps the order of equals. */
function rank({ name, origin }: FoundBackend, cudaOrder: readonly BackendName[]): number {
  if (origin === 'own') return -1;
  const cuda = cudaOrder.indexOf(name as BackendName);
  return cuda === -1 ? cudaOrder.length : cuda;
}
