// Installs, lists and removes backends in this process. `folder` is the folder of backends.

import { packageEnvironment } from '../../base/config/child-environment.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { BackendFamily } from '../../inference/backends/backend-table.ts';
import { findRuntime } from '../../inference/backends/cuda-runtime.ts';
import { engineVersion, thisMachine } from '../../inference/backends/engine-package.ts';
import { findBackends } from '../../inference/backends/find-backends.ts';
import {
  type InstallProgress,
  installBackends,
  removeBackend,
  removeRuntime,
} from '../../inference/backends/install-backend.ts';
import { readNvidiaGpus } from '../../inference/backends/nvidia-gpus.ts';
import { planInstall } from '../../inference/backends/plan-install.ts';
import { createPackageClient } from '../../models/package-client/package-client.ts';

interface AddOptions {
  readonly folder: string;
  /** Whether the libraries of CUDA are those of the system. Then those that were installed are removed. */
  readonly usesSystem: boolean;
  readonly signal: AbortSignal;
}

/** Chooses the build for this machine and installs it. */
export async function* addBackend(
  family: BackendFamily,
  { folder, usesSystem, signal }: AddOptions,
): AsyncGenerator<InstallProgress> {
  const machine = thisMachine;
  const environment = processEnvironment;
  const versions = { text: engineVersion('text'), vision: engineVersion('vision') };
  // Only the builds for CUDA depend on the GPUs.
  const nvidia = family === 'cuda' ? await readNvidiaGpus({ environment, signal }) : [];
  const { wanted, notes } = planInstall(family, { machine, nvidia, versions, usesSystem });
  for (const status of notes) yield { status };
  const packages = createPackageClient({ environment: packageEnvironment(environment), clock: systemClock });
  if (usesSystem) await removeRuntime(folder, () => true);
  yield* installBackends(wanted, { folder, machine, packages, signal });
}

const origins = { own: 'your library', installed: 'installed', package: 'npm package' } as const;

/** Rows of name, version, origin and folder. */
export function listBackends(folder: string): string[][] {
  const backends = findBackends({ folder, machine: thisMachine }).map(
    ({ name, version = '', engine, origin, outdated, folder: place }) => [
      name,
      outdated ? `${version} (not used: the engine is ${engineVersion(engine)})` : version,
      origins[origin],
      place,
    ],
  );
  const runtime = findRuntime(folder).map(({ name, version, folder: place }) => [
    name,
    version,
    origins.installed,
    place,
  ]);
  return [...backends, ...runtime];
}

/** Resolves to false if it is not installed. */
export async function removeInstalled(name: string, folder: string): Promise<boolean> {
  return (await removeBackend(name, folder, thisMachine)).length > 0;
}
