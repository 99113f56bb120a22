// The devices of the machine with the backend that serves each, and the next step for those that none serves. A function
// of facts, so that machines that no test has can be tested.

import type { EngineDescription, EngineDevice } from '../protocol/engine-description.ts';
import type { EngineBuildName } from '../protocol/messages.ts';
import { missingLibraryHints, packageOf } from './backend-table.ts';
import { adviseFaster, fitsCudaBuild, majorOf, type NvidiaGpu, orderCudaBuilds } from './choose-cuda-build.ts';
import type { DisplayAdapter } from './display-adapters.ts';
import type { Machine } from './engine-package.ts';

export interface MachineDevice {
  readonly kind: 'cpu' | 'gpu';
  readonly name: string;
  /** 0 if unknown. */
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly cores?: number;
  readonly driver?: string;
  readonly computeCapability?: number;
  /** The backend that serves it. Absent: none does. */
  readonly backend?: string;
  /** What to do so that a backend serves it. */
  readonly nextStep?: string;
  /** What would make it faster. Absent: nothing that is known. */
  readonly faster?: string;
}

/** A backend that was tried. */
interface TriedBackend {
  readonly name: string;
  /** Absent if it works. */
  readonly failure?: string;
}

export interface MachineFacts {
  readonly machine: Machine;
  readonly build: EngineBuildName;
  readonly cpu: {
    readonly name: string;
    readonly cores: number;
    readonly totalBytes: number;
    readonly freeBytes: number;
  };
  readonly nvidia: readonly NvidiaGpu[];
  readonly adapters: readonly DisplayAdapter[];
  /** The answers of the backends in the order in which loads try them. */
  readonly answers: readonly BackendAnswer[];
  /** The answers of the engines for vision models. */
  readonly visionAnswers: readonly BackendAnswer[];
}

export interface BackendAnswer {
  readonly name: string;
  /** Whether it is a library that the user built, about which nothing is known. */
  readonly isOwn?: boolean;
  readonly answer: EngineDescription | { readonly failure: string };
}

export interface MachineDescription {
  readonly engine: string;
  readonly devices: readonly MachineDevice[];
  readonly backends: readonly TriedBackend[];
}

export function describeMachine(facts: MachineFacts): MachineDescription {
  // The one of the CPU is last.
  const backends = [...facts.visionAnswers, ...facts.answers].map(({ name, answer }): TriedBackend => {
    const failure = failureOf(name, answer);
    return { name, failure };
  });
  const served = facts.answers.find(({ answer }) => gpusOf(answer).length > 0);
  const gpus = served === undefined ? [] : gpusOf(served.answer);
  const { matched, rest } = matchNvidia(gpus, facts.nvidia);
  const context = { facts, backends };
  return {
    engine: facts.answers.flatMap(({ answer }) => ('engine' in answer ? [answer.engine] : []))[0] ?? 'unknown',
    devices: [
      { kind: 'cpu', backend: 'cpu', ...facts.cpu },
      ...matched.map(({ gpu, nvidia }) => toServed(gpu, nvidia, served)),
      ...rest.map((gpu) => toUnserved(gpu, context)),
      ...unknownAdapters(facts, gpus).map((adapter) => toAdapter(adapter, context)),
    ],
    backends,
  };
}

const noGpu = 'the backend found no GPU';

type Answer = BackendAnswer['answer'];

function failureOf(name: string, answer: Answer): string | undefined {
  if ('failure' in answer) return answer.failure;
  return name === 'cpu' || gpusOf(answer).length > 0 ? undefined : noGpu;
}

function gpusOf(answer: Answer): EngineDevice[] {
  return 'failure' in answer ? [] : answer.devices.filter(({ isGpu }) => isGpu);
}

interface MatchedGpus {
  readonly matched: readonly { readonly gpu: EngineDevice; readonly nvidia: NvidiaGpu | undefined }[];
  /** GPUs of the driver that the backend does not have. */
  readonly rest: readonly NvidiaGpu[];
}

/** Both lists have the same names. Equal GPUs are matched in their order. */
function matchNvidia(gpus: readonly EngineDevice[], all: readonly NvidiaGpu[]): MatchedGpus {
  const rest = [...all];
  const matched = gpus.map((gpu) => {
    const index = rest.findIndex(({ name }) => gpu.description.includes(name));
    return { gpu, nvidia: index === -1 ? undefined : rest.splice(index, 1)[0] };
  });
  // Without the driver's program, its GPU has no name of its own.
  const isNamed = (gpu: NvidiaGpu): boolean => gpu.totalBytes > 0 || gpus.length === 0;
  return { matched, rest: rest.filter(isNamed) };
}

function toServed(
  { description, totalBytes, freeBytes }: EngineDevice,
  nvidia: NvidiaGpu | undefined,
  served: BackendAnswer | undefined,
): MachineDevice {
  const backend = served?.name ?? '';
  const faster = nvidia === undefined || served?.isOwn ? undefined : adviseFaster(backend, nvidia);
  const known = { kind: 'gpu', name: description.trim(), totalBytes, freeBytes, backend } as const;
  return { ...known, ...(nvidia && driverFacts(nvidia)), faster };
}

function driverFacts({ driver, computeCapability }: NvidiaGpu): Pick<MachineDevice, 'driver' | 'computeCapability'> {
  return {
    driver: driver || undefined,
    computeCapability,
  };
}

interface Context {
  readonly facts: MachineFacts;
  readonly backends: readonly TriedBackend[];
}

function toUnserved(gpu: NvidiaGpu, context: Context): MachineDevice {
  const { name, totalBytes, freeBytes } = gpu;
  const nextStep = stepForNvidia(gpu, context);
  return { kind: 'gpu', name, totalBytes, freeBytes, ...driverFacts(gpu), nextStep };
}

const oldestDriver = 525;

function stepForNvidia(gpu: NvidiaGpu, context: Context): string {
  const { facts, backends } = context;
  const common = commonStep(context);
  if (common !== undefined) return common;
  if ((majorOf(gpu.driver) ?? oldestDriver) < oldestDriver)
    return `update the NVIDIA driver: it is ${gpu.driver}, and the oldest that works is ${oldestDriver}`;
  const [best = 'cuda'] = orderCudaBuilds([gpu]);
  if (!fitsCudaBuild(best, gpu)) return stepAfterAll('vulkan', context);
  const tried = backends.find(({ name }) => name === best);
  if (tried === undefined) return 'hearth backend add cuda';
  if (tried.failure === undefined) return `${best} works, but does not have this GPU: check CUDA_VISIBLE_DEVICES`;
  return facts.answers.some(({ name }) => name === 'vulkan') ? repair(tried) : stepAfter(tried);
}

/** A missing library is easier to install than another backend. */
function stepAfter(tried: TriedBackend): string {
  return hintFor(tried.failure) === undefined ? 'hearth backend add vulkan' : repair(tried);
}

function stepAfterAll(backend: 'vulkan', { backends }: Context): string {
  const tried = backends.find(({ name }) => name === backend);
  return tried === undefined ? `hearth backend add ${backend}` : repair(tried);
}

function repair({ name, failure = noGpu }: TriedBackend): string {
  return `${name}: ${hintFor(failure) ?? failure}`;
}

function hintFor(failure: string | undefined): string | undefined {
  return missingLibraryHints.find(([library]) => library.test(failure ?? ''))?.[1];
}

function commonStep({ facts: { build, machine } }: Context): string | undefined {
  if (build === 'cpu') return 'set HEARTH_BACKEND to auto';
  if (packageOf('vulkan', machine) === undefined)
    return 'build a ggml backend for this machine and set HEARTH_BACKENDS to its folder';
  return undefined;
}

/** Adapters that neither the backend nor the NVIDIA driver knows. Which ones a backend has is not known. */
function unknownAdapters({ adapters, nvidia }: MachineFacts, gpus: readonly EngineDevice[]): DisplayAdapter[] {
  if (gpus.length > 0) return [];
  return adapters.filter(({ vendor }) => vendor !== 'NVIDIA' || nvidia.length === 0);
}

function toAdapter({ vendor, totalBytes }: DisplayAdapter, context: Context): MachineDevice {
  const withDriver = commonStep(context) ?? stepAfterAll('vulkan', context);
  const nextStep = vendor === 'NVIDIA' ? 'install the NVIDIA driver' : withDriver;
  return { kind: 'gpu', name: `${vendor} GPU`, totalBytes, freeBytes: 0, nextStep };
}
