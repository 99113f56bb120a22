// Finds llama.cpp's shared libraries in the installed platform packages. The CPU build is a dependency. GPU builds are
// large, so users install them separately. Vision models need another family of packages: the usual one cannot read
// images.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import type { EngineBuildName } from '../../protocol/messages.ts';

export interface EngineBackend {
  readonly packageName: string;
  readonly packageVersion: string;
  readonly folder: string;
  readonly base: string;
  readonly ggml: string;
  readonly llama: string;
}

const platformNames: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'mac', win32: 'win' };

/** Package names to try, in order of preference. */
export function packageCandidates(build: EngineBuildName, platform: string, arch: string): string[] {
  const base = `@node-llama-cpp/${platformNames[platform] ?? platform}-${arch}`;
  // On Apple silicon the Metal build is the default one. It can compute on the CPU too.
  return candidatesOf(build, base, platform === 'darwin' && arch === 'arm64' ? `${base}-metal` : base);
}

/** The same for vision models. */
export function visionCandidates(build: EngineBuildName, platform: string, arch: string): string[] {
  const base = `@fugood/node-llama-${platform}-${arch}`;
  return build === 'metal' ? [base] : candidatesOf(build, base, base);
}

function candidatesOf(build: EngineBuildName, base: string, plain: string): string[] {
  switch (build) {
    case 'auto':
      return [`${base}-cuda`, `${base}-vulkan`, plain];
    case 'cpu':
      return [plain];
    default:
      return [`${base}-${build}`];
  }
}

export function findBackend(build: EngineBuildName): EngineBackend {
  return findFirst(packageCandidates(build, process.platform, process.arch), filesOf);
}

export function findVisionBackend(build: EngineBuildName): EngineBackend {
  return findFirst(visionCandidates(build, process.platform, process.arch), (packageName, entry) => ({
    packageName,
    packageVersion: versionIn(dirname(entry)),
    folder: dirname(entry),
    // One file holds everything.
    base: entry,
    ggml: entry,
    llama: entry,
  }));
}

type OpenPackage = (packageName: string, entry: string) => EngineBackend | undefined;

function findFirst(candidates: readonly string[], openPackage: OpenPackage): EngineBackend {
  for (const packageName of candidates) {
    const entry = entryOf(packageName);
    const backend = entry === undefined ? undefined : openPackage(packageName, entry);
    if (backend !== undefined) return backend;
  }
  const machine = `${process.platform} ${process.arch}`;
  throw new HearthError(
    'load_failed',
    `no llama.cpp build for this machine (${machine}): none of ${candidates.join(', ')} is installed`,
  );
}

function entryOf(packageName: string): string | undefined {
  try {
    return createRequire(import.meta.filename).resolve(packageName);
  } catch {
    return undefined;
  }
}

// libllama.v0.4.0.so, libllama.cuda.v0.4.0.so, libllama.v0.4.0.dylib, llama.dll …
function filesOf(packageName: string, entry: string): EngineBackend | undefined {
  const packageFolder = dirname(dirname(entry));
  const folder = join(packageFolder, 'bins', packageName.replace('@node-llama-cpp/', ''));
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder);
  const pick = (stem: string): string => {
    const pattern = new RegExp(`^(lib)?${stem}(\\.[a-z]+)?(\\.v[\\d.]+)?\\.(so|dylib|dll)$`);
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined) throw new HearthError('load_failed', `${packageName} has no shared library ${stem}`);
    return join(folder, name);
  };
  const packageVersion = versionIn(packageFolder);
  return { packageName, packageVersion, folder, base: pick('ggml-base'), ggml: pick('ggml'), llama: pick('llama') };
}

function versionIn(folder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return String(version);
  } catch {
    return 'unknown';
  }
}
