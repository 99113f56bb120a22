// Decides which backends a load tries, and in which order. The last one computes on the CPU.

import type { EngineBuildName } from '../protocol/messages.ts';
import { type BackendFamily, type BackendName, backendTable } from './backend-table.ts';
import { hasMetal, type Machine } from './engine-package.ts';
import { type FoundBackend, isBackendName } from './find-backends.ts';

/** One way to load a model. */
export interface BackendAttempt {
  /** For people: `cuda`, `metal`, `cpu`. */
  readonly name: string;
  readonly build: EngineBuildName;
  /** Shared libraries that ggml loads in addition to its own. */
  readonly libraries: readonly string[];
  /** The file of the engine, if it is not the default one: a vision engine with a GPU backend. */
  readonly engine?: string;
}

/** The files that a runner reads for it. */
export function filesOfAttempt({ libraries, engine }: Pick<BackendAttempt, 'libraries' | 'engine'>): string[] {
  return engine === undefined ? [...libraries] : [...libraries, engine];
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
    .filter((backend) => backend.engine === 'text' && isUsable(backend, build))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map(({ name, libraries }): BackendAttempt => ({ name, build, libraries }));
  return [...gpus, ...metalFor(build, machine), onCpu];
}

export interface VisionPlanInput extends Omit<BackendPlanInput, 'cudaOrder'> {
  /** Whether the CUDA build runs on the GPUs, as far as the facts say. */
  readonly cudaFits: boolean;
}

/** The same for vision models. Their backends are entire engines, so that an attempt has the file of one. */
export function planVisionBackends({ build, found, cudaFits, machine }: VisionPlanInput): BackendAttempt[] {
  if (build === 'cpu') return [onCpu];
  const families: readonly BackendFamily[] = cudaFits ? ['cuda', 'vulkan'] : ['vulkan', 'cuda'];
  const gpus = families.flatMap((family) =>
    found
      .filter((backend) => backend.name === `vision-${family}` && isUsable(backend, build))
      .flatMap(({ libraries }) => libraries)
      .map((engine): BackendAttempt => ({ name: family, build, libraries: [], engine })),
  );
  return [...gpus, ...metalFor(build, machine), onCpu];
}

/** Part of both engines. */
function metalFor(build: EngineBuildName, machine: Machine): BackendAttempt[] {
  return hasMetal(machine) && (build === 'auto' || build === 'metal') ? [{ name: 'metal', build, libraries: [] }] : [];
}

function isUsable({ outdated, name }: FoundBackend, build: EngineBuildName): boolean {
  return !outdated && isRequested(build, name);
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
