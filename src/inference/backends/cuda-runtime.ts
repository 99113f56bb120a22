// CUDA's runtime libraries, which the packages of backends do not contain. NVIDIA publishes them as packages of PyPI. Each one has a
// folder of its own next to the backends, so that all backends and all their versions share it. If it is not there, the libraries of
// the system are used.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BackendName } from './backend-table.ts';
import type { Machine } from './engine-package.ts';

export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the wheel, by platform and architecture. The index is not trusted with native code. */
  readonly wheels: Readonly<Record<string, string>>;
}

const runtime13: RuntimePackage = {
  name: 'nvidia-cuda-runtime',
  version: '13.1.80',
  wheels: {
    'linux-x64': 'dac25b52e69050e5a7a84957e6df470a85b185f8f648a99a1ab1dfce027576cf',
    'win32-x64': '00db7158108d3ec7fe213fa78e2640d664b5b1b6b85485007dde29ccaa6abef6',
  },
};
const cublas13: RuntimePackage = {
  name: 'nvidia-cublas',
  version: '13.2.1.1',
  wheels: {
    'linux-x64': '8c13c93cf8be4480b4909905c96d2d31575b4af43fcd3af0e84af94762665e4f',
    'win32-x64': 'bc94f0597c21cfd6fea9446b18309b2351630ff227bb4e8575196494fb51c6b6',
  },
};
const runtime12: RuntimePackage = {
  name: 'nvidia-cuda-runtime-cu12',
  version: '12.9.79',
  wheels: {
    'linux-x64': '25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3',
    'win32-x64': '8e018af8fa02363876860388bd10ccb89eb9ab8fb0aa749aaf58430a9f7c4891',
  },
};
// Version 12.8 is the first one with code for compute capability 12.
const cublas12: RuntimePackage = {
  name: 'nvidia-cublas-cu12',
  version: '12.9.1.4',
  wheels: {
    'linux-x64': '453611eb21a7c1f2c2156ed9f3a45b691deda0440ec550860290dc901af5b4c2',
    'win32-x64': '1e5fee10662e6e52bd71dec533fbbd4971bb70a5f24f3bc3793e5c2e9dc640bf',
  },
};
const nccl: RuntimePackage = {
  name: 'nvidia-nccl-cu12',
  version: '2.26.2',
  wheels: { 'linux-x64': '694cf3879a206553cc9d7dbda76b13efaf610fdb70a50cba303de1b0d1530ac6' },
};

const packages: Readonly<Partial<Record<BackendName, readonly RuntimePackage[]>>> = {
  cuda: [runtime13, cublas13],
  'cuda-ext': [runtime12, cublas12],
  'vision-cuda': [runtime12, cublas12, nccl],
};

/** What a wheel contributes; it also has headers, and a library for another purpose. */
export const runtimeLibrary =
  /^(?:lib(?:cudart|cublas|cublasLt|nccl)\.so\.\d{1,3}|(?:cudart|cublas|cublasLt)64_\d{1,3}\.dll)$/;

/** The packages that these backends need; none if they are not published for the machine. */
export function runtimeOf(names: readonly BackendName[], { platform, arch }: Machine): RuntimePackage[] {
  const needed = new Set(names.flatMap((name) => packages[name] ?? []));
  return [...needed].filter(({ wheels }) => wheels[`${platform}-${arch}`] !== undefined);
}

export interface FoundRuntime {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** `nvidia-cublas-cu12-12.9.1.4`: a package and its version. */
export function runtimeFolderName({ name, version }: Pick<RuntimePackage, 'name' | 'version'>): string {
  return `${name}-${version}`;
}

/** All packages in the folder of backends. */
export function findRuntime(root: string): FoundRuntime[] {
  return foldersIn(root).flatMap((folder) => {
    const [, name, version] = /^(nvidia-[a-z0-9-]{1,64})-(\d[\w.]{0,32})$/.exec(folder) ?? [];
    return name === undefined || version === undefined ? [] : [{ name, version, folder: join(root, folder) }];
  });
}

/** The folders with the libraries of one backend. Another version serves until the backend is added again. */
export function runtimeFolders(name: BackendName, found: readonly FoundRuntime[]): string[] {
  return (packages[name] ?? []).flatMap((wanted) => {
    const versions = found.filter((runtime) => runtime.name === wanted.name);
    const chosen = versions.find(({ version }) => version === wanted.version) ?? versions[0];
    return chosen === undefined ? [] : [chosen.folder];
  });
}

/** None if the folder does not exist or is not readable. */
function foldersIn(root: string): string[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
