// Finds llama.cpp's shared libraries in the installed platform packages, which are dependencies. GPU backends are found
// by the server (inference/backends). Vision models need another family of packages: the usual one cannot read images.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import {
  enginePackageName,
  entryOfPackage,
  librariesFolder,
  type Machine,
  packagePrefix,
  thisMachine,
  versionOfPackage,
  visionPackageName,
} from '../../backends/engine-package.ts';
import type { EngineBuildName } from '../../protocol/messages.ts';

export interface EngineBackend {
  readonly packageName: string;
  readonly packageVersion: string;
  readonly folder: string;
  readonly base: string;
  readonly ggml: string;
  readonly llama: string;
}

/** Package names to try, in order of preference. GPU backends are libraries that this engine loads, not engines. */
export function packageCandidates(build: EngineBuildName, machine: Machine): string[] {
  return [build === 'metal' ? `${packagePrefix(machine)}-metal` : enginePackageName(machine)];
}

export function findBackend(build: EngineBuildName): EngineBackend {
  return findFirst(packageCandidates(build, thisMachine), filesOf);
}

/** For vision models. `file`: a GPU build of the same engine, whose version the server has compared. */
export function findVisionBackend(file?: string): EngineBackend {
  return findFirst([visionPackageName(thisMachine)], (packageName, entry) => ({
    packageName,
    packageVersion: versionOfPackage(dirname(entry)),
    folder: dirname(entry),
    // One file holds everything.
    base: file ?? entry,
    ggml: file ?? entry,
    llama: file ?? entry,
  }));
}

type OpenPackage = (packageName: string, entry: string) => EngineBackend | undefined;

function findFirst(candidates: readonly string[], openPackage: OpenPackage): EngineBackend {
  for (const packageName of candidates) {
    const entry = entryOfPackage(packageName);
    const backend = entry === undefined ? undefined : openPackage(packageName, entry);
    if (backend !== undefined) return backend;
  }
  const machine = `${process.platform} ${process.arch}`;
  throw new HearthError(
    'load_failed',
    `no llama.cpp build for this machine (${machine}): none of ${candidates.join(', ')} is installed`,
  );
}

// libllama.v0.4.0.so, libllama.metal.v0.4.0.dylib, llama.dll …
function filesOf(packageName: string, entry: string): EngineBackend | undefined {
  const folder = librariesFolder(packageName, entry);
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder);
  const pick = (stem: string): string => {
    const pattern = new RegExp(`^(lib)?${stem}(\\.[a-z]+)?(\\.v[\\d.]+)?\\.(so|dylib|dll)$`);
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined) throw new HearthError('load_failed', `${packageName} has no shared library ${stem}`);
    return join(folder, name);
  };
  const packageVersion = versionOfPackage(dirname(dirname(entry)));
  return { packageName, packageVersion, folder, base: pick('ggml-base'), ggml: pick('ggml'), llama: pick('llama') };
}
