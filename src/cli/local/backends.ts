// `hearth backend`: installs, lists and removes backends in this process.

import { packageEnvironment } from '../../base/config/child-environment.ts';
import type { Environment } from '../../base/config/load-settings.ts';
import { systemClock } from '../../base/time/clock.ts';
import { type BackendFamily, type BackendName, backendTable } from '../../inference/backends/backend-table.ts';
import { orderCudaBuilds } from '../../inference/backends/choose-cuda-build.ts';
import { engineVersion, thisMachine } from '../../inference/backends/engine-package.ts';
import { type FoundBackend, findBackends } from '../../inference/backends/find-backends.ts';
import { type InstallProgress, installBackend, removeBackend } from '../../inference/backends/install-backend.ts';
import { type NvidiaQuery, readNvidiaGpus } from '../../inference/backends/nvidia-gpus.ts';
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
  const name = family === 'cuda' ? await chooseCuda({ environment, signal }) : family;
  yield { status: `choosing ${name}: ${backendTable[name].summary}` };
  const packages = createPackageClient({ environment: packageEnvironment(environment), clock: systemClock });
  yield* installBackend(name, { folder, machine: thisMachine, version: engineVersion(), packages, signal });
}

/** The build for the driver and the GPUs of this machine. */
async function chooseCuda(query: NvidiaQuery): Promise<BackendName> {
  const [best = 'cuda'] = orderCudaBuilds(await readNvidiaGpus(query));
  return best;
}

const origins: Readonly<Record<FoundBackend['origin'], string>> = {
  own: 'your library',
  installed: 'installed',
  package: 'npm package',
};

export function listBackends({ folder }: LocalBackendsOptions) {
  return findBackends({ folder, machine: thisMachine }).map(({ name, version = '', origin, outdated, ...found }) => ({
    name,
    version: outdated ? `${version} (not used: the engine is ${engineVersion()})` : version,
    origin: origins[origin],
    folder: found.folder,
  }));
}

export async function removeInstalled(name: string, { folder }: LocalBackendsOptions): Promise<boolean> {
  return (await removeBackend(name, folder, thisMachine)).length > 0;
}
