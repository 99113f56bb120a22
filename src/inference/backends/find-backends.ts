// Finds the GPU backends on this machine: shared libraries that ggml loads in addition to its own, and engines for vision
// models, which contain a backend. Three places, in this order: libraries that the user put into the folder of backends,
// backends that `hearth backend add` installed into it, and npm packages next to Hearth.

import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BackendName, backendNames, backendTable, packageOf } from './backend-table.ts';
import { findRuntime, runtimeFolders } from './cuda-runtime.ts';
import {
  type EngineKind,
  engineVersion,
  entryOfPackage,
  librariesFolder,
  type Machine,
  rootOfPackage,
  versionOfPackage,
} from './engine-package.ts';

export interface FoundBackend {
  /** A name of the table, or the name of the user's own library, such as `hip`. */
  readonly name: string;
  /** The engine that it belongs to. */
  readonly engine: EngineKind;
  readonly origin: 'own' | 'installed' | 'package';
  /** The version of the package; absent for the user's own libraries. */
  readonly version?: string;
  readonly folder: string;
  /** Paths of the libraries; for a vision engine, its one file. */
  readonly libraries: readonly string[];
  /** Folders with libraries of CUDA that it loads. Absent: those of the system. */
  readonly runtime?: readonly string[];
  /** Whether it was made for another version of the engine. Such a backend is not used. */
  readonly outdated: boolean;
}

interface BackendPlaces {
  /** The folder of backends. */
  readonly folder: string;
  readonly machine: Machine;
}

type EngineVersions = Readonly<Record<EngineKind, string>>;

export function findBackends({ folder, machine }: BackendPlaces): FoundBackend[] {
  const versions = { text: engineVersion('text', machine), vision: engineVersion('vision', machine) };
  const installed = findInstalled(folder, versions);
  const names = new Set(installed.filter(({ outdated }) => !outdated).map(({ name }) => name));
  const packaged = findPackaged(machine, versions).filter(({ name }) => !names.has(name));
  return [...findOwn(folder), ...withRuntime([...installed, ...packaged], folder)];
}

function withRuntime(backends: readonly FoundBackend[], folder: string): FoundBackend[] {
  const found = findRuntime(folder);
  if (found.length === 0) return [...backends];
  return backends.map((backend) => {
    const runtime = isBackendName(backend.name) ? runtimeFolders(backend.name, found) : [];
    return runtime.length === 0 ? backend : { ...backend, runtime };
  });
}

// libggml-hip.so, ggml-cuda.dll. The engine has its own base and CPU libraries.
const libraryName = /^(?:lib)?ggml-(?!base\b|cpu\b|cpu-)([a-z0-9]{1,32})\.(?:so|dll|dylib)$/;

function findOwn(folder: string): FoundBackend[] {
  return entriesOf(folder)
    .flatMap((entry) => {
      const name = entry.isDirectory() ? undefined : libraryName.exec(entry.name)?.[1];
      return name === undefined ? [] : [{ name, library: join(folder, entry.name) }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, library }) => ({
      name,
      engine: 'text',
      origin: 'own',
      folder,
      libraries: [library],
      outdated: false,
    }));
}

/** `cuda-ext-3.21.1`: a backend and its version. */
export function installedFolderName(name: BackendName, version: string): string {
  return `${name}-${version}`;
}

function findInstalled(root: string, versions: EngineVersions): FoundBackend[] {
  return entriesOf(root).flatMap((entry): FoundBackend[] => {
    const [, name = '', version = ''] = /^([a-z-]{1,32})-(\d[\w.+-]{0,64})$/.exec(entry.name) ?? [];
    if (!entry.isDirectory() || !isBackendName(name)) return [];
    const folder = join(root, entry.name);
    const { engine } = backendTable[name];
    const libraries = librariesIn(folder, name);
    const outdated = version !== versions[engine];
    return libraries.length === 0 ? [] : [{ name, engine, origin: 'installed', version, folder, libraries, outdated }];
  });
}

function findPackaged(machine: Machine, versions: EngineVersions): FoundBackend[] {
  return backendNames.flatMap((name): FoundBackend[] => {
    const packageName = packageOf(name, machine);
    const entry = packageName === undefined ? undefined : entryOfPackage(packageName);
    if (packageName === undefined || entry === undefined) return [];
    const { engine } = backendTable[name];
    const folder = engine === 'vision' ? dirname(entry) : folderInPackage(packageName, entry);
    const libraries = librariesIn(folder, name);
    const version = versionOfPackage(rootOfPackage(engine, entry));
    const outdated = version !== versions[engine];
    return libraries.length === 0 ? [] : [{ name, engine, origin: 'package', version, folder, libraries, outdated }];
  });
}

/** The extension of a package has its library in a folder of the package that it extends. */
function folderInPackage(packageName: string, entry: string): string {
  const extended = packageName.replace(/-ext$/, '');
  const folder = librariesFolder(extended, entry);
  return extended === packageName ? folder : join(folder, 'fallback');
}

export function isBackendName(name: string): name is BackendName {
  return Object.hasOwn(backendTable, name);
}

function librariesIn(folder: string, name: BackendName): string[] {
  return entriesOf(folder)
    .filter((entry) => backendTable[name].file.test(entry.name))
    .map((entry) => join(folder, entry.name));
}

/** None if the folder does not exist or is not readable. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
