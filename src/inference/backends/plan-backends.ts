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
  /** Whether the user built them. */
  readonly isOwn?: boolean;
  /** Folders with libraries of CUDA. */
  readonly runtime?: readonly string[];
  /** What encodes the images of a vision model, if it is not the default engine on the CPU. */
  readonly visionEngine?: VisionEngine;
}

/** An engine for images with a GPU backend. */
export interface VisionEngine {
  /** For people: `vision-cuda`. */
  readonly name: string;
  readonly file: string;
  /** Folders with libraries of CUDA. */
  readonly runtime?: readonly string[];
}

/** The files that a runner reads for it. */
export function filesOfAttempt({ libraries, visionEngine }: BackendAttempt): string[] {
  return visionEngine === undefined ? [...libraries] : [...libraries, visionEngine.file];
}

/** The folders of libraries that a runner needs for it. */
export function runtimeOfAttempt({ runtime = [], visionEngine }: BackendAttempt): string[] {
  return [...new Set([...runtime, ...(visionEngine?.runtime ?? [])])];
}

/** For people. */
export function describeAttempt({ name, visionEngine }: BackendAttempt): string {
  return visionEngine === undefined ? name : `${name} with ${visionEngine.name}`;
}

interface BackendPlanInput {
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
    .map(
      ({ name, libraries, runtime, origin }): BackendAttempt => ({
        name,
        build,
        libraries,
        runtime,
        isOwn: origin === 'own' || undefined,
      }),
    );
  return [...gpus, ...metalFor(build, machine), onCpu];
}

interface VisionEngineInput extends Pick<BackendPlanInput, 'build' | 'found'> {
  /** Whether the CUDA build runs on the GPUs, as far as the facts say. */
  readonly cudaFits: boolean;
}

/** The engines that encode images on GPUs, best first. */
export function planVisionEngines({ build, found, cudaFits }: VisionEngineInput): VisionEngine[] {
  if (build === 'cpu') return [];
  const families: readonly BackendFamily[] = cudaFits ? ['cuda', 'vulkan'] : ['vulkan', 'cuda'];
  return families.flatMap((family) =>
    found
      .filter(({ name }) => name === `vision-${family}`)
      .filter((backend) => isUsable(backend, build))
      .flatMap(({ name, libraries, runtime }) => libraries.map((file) => ({ name, file, runtime }))),
  );
}

/** What a load of a vision model tries: with each backend, every engine for images, then the CPU for them. */
export function withVisionEngines(
  attempts: readonly BackendAttempt[],
  engines: readonly VisionEngine[],
): BackendAttempt[] {
  return attempts.flatMap((attempt) => [
    ...engines.map((visionEngine): BackendAttempt => ({ ...attempt, visionEngine })),
    attempt,
  ]);
}

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
