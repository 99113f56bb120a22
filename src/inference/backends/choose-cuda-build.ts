// Orders the CUDA builds by how well they fit the GPUs and the driver. A build that does not fit is last, not left out:
// a user may have replaced its library, and facts can be missing.

import { type BackendName, type CudaBuild, cudaBuilds, visionCudaBuilds } from './backend-table.ts';
import type { Machine } from './engine-package.ts';

/** An NVIDIA GPU as the driver describes it. */
export interface NvidiaGpu {
  readonly name: string;
  /** Such as 580.65.06; empty if unknown. */
  readonly driver: string;
  /** Such as 8.9; undefined if unknown. */
  readonly computeCapability: number | undefined;
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Best first. Without facts: the order of the table. */
export function orderCudaBuilds(gpus: readonly NvidiaGpu[]): BackendName[] {
  const rank = (build: CudaBuild): number => Math.min(...gpus.map((gpu) => fitness(build, gpu)), fit.machineCode);
  return [...cudaBuilds].sort((a, b) => rank(b) - rank(a)).map(({ name }) => name);
}

/** Whether a build runs on a GPU, as far as the facts say. */
export function fitsCudaBuild(name: BackendName, gpu: NvidiaGpu): boolean {
  const build = cudaBuilds.find((candidate) => candidate.name === name);
  return build === undefined || fitness(build, gpu) > fit.none;
}

/** Whether the build for vision models runs on all GPUs, as far as the facts say. */
export function fitsVisionCuda(gpus: readonly NvidiaGpu[], { platform, arch }: Machine): boolean {
  const build = visionCudaBuilds[`${platform}-${arch}`];
  return build === undefined || gpus.every((gpu) => fitness(build, gpu) > fit.none);
}

/** What makes a GPU faster than it is with this backend, as far as the facts say. Undefined: nothing that is known. */
export function adviseFaster(backend: string, gpu: NvidiaGpu): string | undefined {
  const build = cudaBuilds.find(({ name }) => name === backend);
  const [best = 'cuda'] = orderCudaBuilds([gpu]);
  if (build === undefined) return backend === 'vulkan' && fitsCudaBuild(best, gpu) ? addCuda : undefined;
  const { computeCapability } = gpu;
  // Code that the driver compiles is for older GPUs, without the instructions of this one.
  if (computeCapability === undefined || fitness(build, gpu) !== fit.ptx) return undefined;
  if (best !== backend) return addCuda;
  const newer = cudaBuilds.find(({ machineCode }) => machineCode.some((code) => runsOn(code, computeCapability)));
  return newer === undefined
    ? `build the backend for compute capability ${computeCapability.toFixed(1)} (docs/gpu.md)`
    : `update the NVIDIA driver to ${newer.driver} or newer, then ${addCuda}`;
}

const addCuda = 'hearth backend add cuda';

const fit = { none: 0, ptx: 1, unknown: 2, machineCode: 3 } as const;

function fitness(build: CudaBuild, { driver, computeCapability }: NvidiaGpu): number {
  const major = majorOf(driver);
  if (major === undefined || computeCapability === undefined) return fit.unknown;
  if (major < build.driver) return fit.none;
  if (build.machineCode.some((code) => runsOn(code, computeCapability))) return fit.machineCode;
  return major >= build.ptxDriver && computeCapability >= build.ptx ? fit.ptx : fit.none;
}

/** Machine code runs on its generation, from its own version on. */
function runsOn(code: number, computeCapability: number): boolean {
  return Math.floor(code) === Math.floor(computeCapability) && code <= computeCapability;
}

export function majorOf(driver: string): number | undefined {
  const [, major] = /^(\d{1,5})\./.exec(driver) ?? [];
  return major === undefined ? undefined : Number(major);
}
