// The npm packages with llama.cpp for this machine, and how packages are found. Only files are read here: the server
// does not load native code.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Vision models have an engine of their own (docs/adr/0011). */
export type EngineKind = 'text' | 'vision';

export const thisMachine: Machine = { platform: process.platform, arch: process.arch };

const platformNames: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'mac', win32: 'win' };

/** The start of the names of all packages for a machine. */
export function packagePrefix({ platform, arch }: Machine): string {
  return `@node-llama-cpp/${platformNames[platform] ?? platform}-${arch}`;
}

/** The default build: Metal on Apple silicon, which can compute on the CPU too, and the CPU elsewhere. */
export function enginePackageName(machine: Machine): string {
  const prefix = packagePrefix(machine);
  return hasMetal(machine) ? `${prefix}-metal` : prefix;
}

/** One file has the entire engine. With Metal on Apple silicon. */
export function visionPackageName({ platform, arch }: Machine): string {
  return `@fugood/node-llama-${platform}-${arch}`;
}

export function hasMetal({ platform, arch }: Machine): boolean {
  return platform === 'darwin' && arch === 'arm64';
}

/** Undefined if the package is not installed next to Hearth. */
export function entryOfPackage(packageName: string): string | undefined {
  try {
    return createRequire(import.meta.filename).resolve(packageName);
  } catch {
    return undefined;
  }
}

/** The folder with the shared libraries of an installed package. */
export function librariesFolder(packageName: string, entry: string): string {
  return join(dirname(dirname(entry)), 'bins', packageName.replace('@node-llama-cpp/', ''));
}

/** `folder` has the package.json. */
export function versionOfPackage(folder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return String(version);
  } catch {
    return 'unknown';
  }
}

/** The version of the installed engine. A backend must have the same one. */
export function engineVersion(engine: EngineKind = 'text', machine: Machine = thisMachine): string {
  const entry = entryOfPackage(engine === 'vision' ? visionPackageName(machine) : enginePackageName(machine));
  return entry === undefined ? 'unknown' : versionOfPackage(rootOfPackage(engine, entry));
}

/** The folder with the package.json of an installed engine or backend. */
export function rootOfPackage(engine: EngineKind, entry: string): string {
  return engine === 'vision' ? dirname(entry) : dirname(dirname(entry));
}
