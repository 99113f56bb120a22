// The GPU backends that can be installed: their packages, and the hardware that each was built for.

import { type Machine, packagePrefix } from './engine-package.ts';

export type BackendName = 'cuda' | 'cuda-ext' | 'vulkan';
/** What a user asks for; the build of it depends on the machine. */
export type BackendFamily = 'cuda' | 'vulkan';

interface BackendFacts {
  readonly family: BackendFamily;
  /** In the name of the file: libggml-cuda.so. */
  readonly library: string;
  readonly summary: string;
}

export const backendTable: Readonly<Record<BackendName, BackendFacts>> = {
  cuda: { family: 'cuda', library: 'cuda', summary: 'NVIDIA GPUs with a recent driver, CUDA 13' },
  'cuda-ext': { family: 'cuda', library: 'cuda', summary: 'older NVIDIA GPUs and drivers, CUDA 12' },
  vulkan: { family: 'vulkan', library: 'vulkan', summary: 'GPUs of AMD, Intel and NVIDIA through Vulkan' },
};

export const backendNames = Object.keys(backendTable) as BackendName[];
export const backendFamilies: readonly BackendFamily[] = ['cuda', 'vulkan'];

/**
 * What the CUDA builds contain. Machine code runs on its compute capability; PTX is compiled by the driver, which must
 * know the toolkit that made it. Versions are those of the driver, whose major number decides.
 */
export interface CudaBuild {
  readonly name: BackendName;
  /** The oldest driver that runs the machine code. */
  readonly driver: number;
  /** The oldest driver that compiles the PTX. */
  readonly ptxDriver: number;
  readonly machineCode: readonly number[];
  /** The lowest compute capability that the PTX runs on. */
  readonly ptx: number;
}

export const cudaBuilds: readonly CudaBuild[] = [
  // Made by CUDA 13.1.
  { name: 'cuda', driver: 580, ptxDriver: 590, machineCode: [8.6, 8.9, 12, 12.1], ptx: 7.5 },
  // Made by CUDA 12.4.
  { name: 'cuda-ext', driver: 525, ptxDriver: 550, machineCode: [5, 6.1, 7, 7.5, 8], ptx: 8.6 },
];

/** The libraries that a backend needs and its package does not contain. */
export const missingLibraryHints: readonly (readonly [library: RegExp, hint: string])[] = [
  [/\b(?:libcuda\.so|nvcuda\.dll)/, 'install the NVIDIA driver'],
  [/\blib(?:cudart|cublas|cublasLt)\.so\.13/, 'install the CUDA 13 runtime (libcudart.so.13 and libcublas.so.13)'],
  [/\blib(?:cudart|cublas|cublasLt)\.so\.12/, 'install the CUDA 12 runtime (libcudart.so.12 and libcublas.so.12)'],
  [/\b(?:libvulkan\.so|vulkan-1\.dll)/, 'install the Vulkan loader (on Debian and Ubuntu: libvulkan1) and a driver'],
];

/** Undefined if no package is published for this kind of machine. */
export function packageOf(name: BackendName, machine: Machine): string | undefined {
  const isPublished = machine.arch === 'x64' && (machine.platform === 'linux' || machine.platform === 'win32');
  return isPublished ? `${packagePrefix(machine)}-${name}` : undefined;
}
