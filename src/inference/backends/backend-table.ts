// The GPU backends that can be installed: their packages, and the hardware that each was built for.

import { type EngineKind, type Machine, packagePrefix, visionPackageName } from './engine-package.ts';

export type BackendName = 'cuda' | 'cuda-ext' | 'vulkan' | 'vision-cuda' | 'vision-vulkan';
/** What a user asks for; the build of it depends on the machine. */
export type BackendFamily = 'cuda' | 'vulkan';

interface BackendFacts {
  readonly engine: EngineKind;
  readonly family: BackendFamily;
  /** The name of its file. */
  readonly file: RegExp;
  /** Platform and architecture that a package is published for. */
  readonly machines: readonly string[];
  readonly summary: string;
}

const cudaLibrary = /^(?:lib)?ggml-cuda\.(?:so|dll)$/;
const vulkanLibrary = /^(?:lib)?ggml-vulkan\.(?:so|dll)$/;
// An entire engine.
const visionEngine = /^index\.node$/;
const textMachines = ['linux-x64', 'win32-x64'] as const;

export const backendTable: Readonly<Record<BackendName, BackendFacts>> = {
  cuda: {
    engine: 'text',
    family: 'cuda',
    file: cudaLibrary,
    machines: textMachines,
    summary: 'NVIDIA GPUs with a recent driver, CUDA 13',
  },
  'cuda-ext': {
    engine: 'text',
    family: 'cuda',
    file: cudaLibrary,
    machines: textMachines,
    summary: 'older NVIDIA GPUs and drivers, CUDA 12',
  },
  vulkan: {
    engine: 'text',
    family: 'vulkan',
    file: vulkanLibrary,
    machines: textMachines,
    summary: 'GPUs of AMD, Intel and NVIDIA through Vulkan',
  },
  'vision-cuda': {
    engine: 'vision',
    family: 'cuda',
    file: visionEngine,
    machines: ['linux-x64', 'linux-arm64', 'win32-x64'],
    summary: 'vision models on NVIDIA GPUs, CUDA 12',
  },
  'vision-vulkan': {
    engine: 'vision',
    family: 'vulkan',
    file: visionEngine,
    machines: ['linux-x64', 'linux-arm64', 'win32-x64', 'win32-arm64'],
    summary: 'vision models on GPUs through Vulkan',
  },
};

export const backendNames = Object.keys(backendTable) as BackendName[];

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
  { name: 'cuda-ext', driver: 525, ptxDriver: 550, machineCode: [8.6], ptx: 5 },
];

/** The same for vision models, by platform and architecture. Made by CUDA 12.6, and 12.9 on Windows. */
export const visionCudaBuilds: Readonly<Record<string, CudaBuild>> = {
  'linux-x64': { name: 'vision-cuda', driver: 525, ptxDriver: 560, machineCode: [8.9], ptx: 8.9 },
  'linux-arm64': { name: 'vision-cuda', driver: 525, ptxDriver: 560, machineCode: [8.7], ptx: 8.7 },
  'win32-x64': { name: 'vision-cuda', driver: 525, ptxDriver: 575, machineCode: [8.6, 8.9, 12], ptx: 8.6 },
};

/** The libraries that a backend needs and its package does not contain. */
export const missingLibraryHints: readonly (readonly [library: RegExp, hint: string])[] = [
  [/\b(?:libcuda\.so|nvcuda\.dll)/, 'install the NVIDIA driver'],
  [
    /\b(?:lib(?:cudart|cublas|cublasLt|nccl)\.so|(?:cudart|cublas|cublasLt)64_)/,
    '`hearth backend add cuda` brings the libraries of CUDA that are missing',
  ],
  [/\b(?:libvulkan\.so|vulkan-1\.dll)/, 'install the Vulkan loader (on Debian and Ubuntu: libvulkan1) and a driver'],
];

/** Undefined if no package is published for this kind of machine. */
export function packageOf(name: BackendName, machine: Machine): string | undefined {
  const { engine, family, machines } = backendTable[name];
  if (!machines.includes(`${machine.platform}-${machine.arch}`)) return undefined;
  return engine === 'vision' ? `${visionPackageName(machine)}-${family}` : `${packagePrefix(machine)}-${name}`;
}
