// Decides what `hearth backend add` installs: the build for text models and the one for vision models. One that does not
// exist for the machine, or does not run on its GPUs, is left out with a note. The libraries of CUDA come with them.

import { type BackendFamily, type BackendName, backendTable, packageOf } from './backend-table.ts';
import { fitsVisionCuda, type NvidiaGpu, orderCudaBuilds } from './choose-cuda-build.ts';
import { runtimeOf } from './cuda-runtime.ts';
import { type EngineKind, type Machine, visionPackageName } from './engine-package.ts';
import { notPublished, type Wanted } from './install-backend.ts';

export interface InstallFacts {
  readonly machine: Machine;
  /** Empty if there is no driver. */
  readonly nvidia: readonly NvidiaGpu[];
  /** The versions of the engines next to Hearth; `unknown` if one is not installed. */
  readonly versions: Readonly<Record<EngineKind, string>>;
  /** Whether the libraries of CUDA are those of the system. */
  readonly usesSystem: boolean;
}

interface InstallPlan {
  readonly wanted: Wanted;
  /** For the user: what is chosen and what is left out, and why. */
  readonly notes: readonly string[];
}

/** Throws if there is nothing to install. */
export function planInstall(family: BackendFamily, facts: InstallFacts): InstallPlan {
  const { machine, versions } = facts;
  const [best = 'cuda'] = orderCudaBuilds(facts.nvidia);
  const text: BackendName = family === 'cuda' ? best : family;
  const parts = [text, `vision-${family}` as const].map((name) => ({ name, obstacle: obstacleTo(name, facts) }));
  const backends = parts
    .filter(({ obstacle }) => obstacle === undefined)
    .map(({ name }) => ({ name, version: versions[backendTable[name].engine] }));
  if (backends.length === 0) throw notPublished(text, machine);
  const notes = parts.map(({ name, obstacle }) =>
    obstacle === undefined ? `choosing ${name}: ${backendTable[name].summary}` : `leaving out ${name}: ${obstacle}`,
  );
  if (facts.usesSystem || family !== 'cuda') return { wanted: { backends }, notes };
  const names = backends.map(({ name }) => name);
  const runtime = runtimeOf(names, machine);
  const source = runtime.length > 0 ? 'packages of PyPI' : 'the system: there are no packages for this machine';
  return { wanted: { backends, runtime }, notes: [...notes, `libraries of CUDA: ${source}`] };
}

function obstacleTo(name: BackendName, { machine, nvidia, versions }: InstallFacts): string | undefined {
  const { platform, arch } = machine;
  const { engine } = backendTable[name];
  if (packageOf(name, machine) === undefined) return `there is no package for ${platform} ${arch}`;
  if (engine === 'text') return undefined;
  if (versions.vision === 'unknown') return `${visionPackageName(machine)} is not installed`;
  if (name !== 'vision-cuda' || fitsVisionCuda(nvidia, machine)) return undefined;
  return 'it was not built for the GPU or the driver of this machine; vision models can use `hearth backend add vulkan`';
}
