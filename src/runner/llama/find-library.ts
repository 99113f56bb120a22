// Finds the folder with llama.cpp's shared libraries among the installed platform packages. The plain build
// is a dependency; builds for a GPU are big, so a user installs one beside Hearth and it is found here.

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HearthError } from '../../kernel/errors.ts';
import type { EngineBuildName } from '../../protocol/messages.ts';

export interface EngineLibrary {
  readonly packageName: string;
  readonly folder: string;
  readonly base: string;
  readonly ggml: string;
  readonly llama: string;
}

const platformNames: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'mac', win32: 'win' };

/** Package names to try, the most wanted first. */
export function packageCandidates(build: EngineBuildName, platform: string, arch: string): string[] {
  const base = `@node-llama-cpp/${platformNames[platform] ?? platform}-${arch}`;
  // On Apple silicon the Metal build is the plain one: it computes on the CPU where it is told to.
  const plain = platform === 'darwin' && arch === 'arm64' ? `${base}-metal` : base;
  switch (build) {
    case 'auto':
      return [`${base}-cuda`, `${base}-vulkan`, plain];
    case 'cpu':
      return [plain];
    default:
      return [`${base}-${build}`];
  }
}

export function findLibrary(build: EngineBuildName): EngineLibrary {
  const candidates = packageCandidates(build, process.platform, process.arch);
  for (const packageName of candidates) {
    const folder = folderOfPackage(packageName);
    if (folder !== undefined) return filesOf(packageName, folder);
  }
  throw new HearthError(
    'load_failed',
    `no engine for this machine (${process.platform} ${process.arch}): none of ${candidates.join(', ')} is installed`,
  );
}

function folderOfPackage(packageName: string): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const entry = require.resolve(packageName);
    const folder = join(dirname(dirname(entry)), 'bins', packageName.replace('@node-llama-cpp/', ''));
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

// libllama.v0.4.0.so, libllama.cuda.v0.4.0.so, libllama.v0.4.0.dylib, llama.dll …
function filesOf(packageName: string, folder: string): EngineLibrary {
  const names = readdirSync(folder);
  const pick = (stem: string): string => {
    const pattern = new RegExp(`^(lib)?${stem}(\\.[a-z]+)?(\\.v[\\d.]+)?\\.(so|dylib|dll)$`);
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined) throw new HearthError('load_failed', `${packageName} has no ${stem} library`);
    return join(folder, name);
  };
  return { packageName, folder, base: pick('ggml-base'), ggml: pick('ggml'), llama: pick('llama') };
}
