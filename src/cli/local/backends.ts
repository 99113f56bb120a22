// `hearth backend`: installs, lists and removes backends in this process.

import { packageEnvironment } from '../../base/config/child-environment.ts';
import type { Environment } from '../../base/config/load-settings.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { BackendFamily } from '../../inference/backends/backend-table.ts';
import { engineVersion, thisMachine } from '../../inference/backends/engine-package.ts';
import { type FoundBackend, findBackends } from '../../inference/backends/find-backends.ts';
import { type InstallProgress, installBackends, removeBackend } from '../../inference/backends/install-backend.ts';
import { readNvidiaGpus } from '../../inference/backends/nvidia-gpus.ts';
import { planInstall } from '../../inference/backends/plan-install.ts';
import { createPackageClient } from '../../models/package-client/package-client.ts';

export interface LocalBackendsOptions {
  /** The folder of backends. */
  readonly folder: string;
  readonly environment: Environment;
}

export async function* addBackend(
  family: BackendFamily,
  { folder, environment }: LocalBackendsOptions,
  signal: AbortSignal,
): AsyncGenerator<InstallProgress> {
  const machine = thisMachine;
  const versions = { text: engineVersion('text'), vision: engineVersion('vision') };
  // Only the builds for CUDA depend on the GPUs.
  const nvidia = family === 'cuda' ? await readNvidiaGpus({ environment, signal }) : [];
  const { wanted, notes } = planInstall(family, { machine, nvidia, versions });
  for (const status of notes) yield { status };
  const packages = createPackageClient({ environment: packageEnvironment(environment), clock: systemClock });
  yield* installBackends(wanted, { folder, machine, packages, signal });
}

const origins: Readonly<Record<FoundBackend['origin'], string>> = {
  own: 'your library',
  installed: 'installed',
  package: 'npm package',
};

export function listBackends({ folder }: LocalBackendsOptions) {
  return findBackends({ folder, machine: thisMachine }).map(
    ({ name, version = '', engine, origin, outdated, ...found }) => ({
      name,
      version: outdated ? `${version} (not used: the engine is ${engineVersion(engine)})` : version,
      origin: origins[origin],
      folder: found.folder,
    }),
  );
}

export async function removeInstalled(name: string, { folder }: LocalBackendsOptions): Promise<boolean> {
  return (await removeBackend(name, folder, thisMachine)).length > 0;
}
