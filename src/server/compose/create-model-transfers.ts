// The services that bring models into the store and out of it: pull, push, create.

import { packageEnvironment } from '../../base/config/child-environment.ts';
import { toClientTls } from '../../base/config/client-tls.ts';
import { keyFolders } from '../../base/config/key-folders.ts';
import { processEnvironment } from '../../base/config/load-settings.ts';
import type { Settings } from '../../base/config/settings.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createListCached } from '../../features/caches/cached-models.ts';
import { withCachedModels } from '../../features/caches/pull-cached.ts';
import { createPullArtifact } from '../../features/packages/artifacts/pull-artifact.ts';
import { createPullPackage } from '../../features/packages/pull-package.ts';
import type { Compute } from '../../inference/compute/compute.ts';
import type { DescribeRemoteModel } from '../../inference/remote/describe-remote-model.ts';
import { loadOrCreateKey } from '../../models/keys/load-or-create-key.ts';
import { formatPublicKey } from '../../models/keys/public-key.ts';
import { createPackageClient } from '../../models/package-client/package-client.ts';
import { createRegistryClient } from '../../models/registry-client/registry-client.ts';
import type { Store } from '../../models/store/store.ts';
import { type CreateModel, createCreateModel } from '../services/create/create-model.ts';
import type { PullPackage } from '../services/create/package-pull.ts';
import type { PullArtifact } from '../services/management/artifact-pull.ts';
import { withEmbeddedModels } from '../services/management/pull-embedded.ts';
import { createPullModel, type PullModel } from '../services/management/pull-model.ts';
import { createPushModel, type PushModel } from '../services/management/push-model.ts';
import type { Inference } from './create-inference.ts';
import type { PackageFiles } from './package-files.ts';

export interface ModelTransfers {
  readonly pullModel: PullModel;
  readonly pullPackage: PullPackage;
  readonly pushModel: PushModel;
  readonly createModel: CreateModel;
  /** The key that pushes are signed with. */
  readPublicKey(): Promise<string>;
  /** Downloads are resumable, so there is nothing to wait for. */
  close(): Promise<void>;
}

interface ModelTransferParts {
  readonly settings: Settings;
  readonly version: string;
  readonly store: Store;
  readonly inference: Inference;
  readonly compute: Compute;
  readonly describeRemote: DescribeRemoteModel;
  readonly files: PackageFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createModelTransfers(parts: ModelTransferParts): ModelTransfers {
  const { settings, version, store, inference, compute, describeRemote, files, clock, logger } = parts;
  const { quantizeFile, convertFiles } = inference;
  const loadKey = () => loadOrCreateKey(keyFolders());
  const registry = createRegistryClient({
    store,
    clock,
    version,
    ollamaVersion: settings.apiVersion,
    credentials: settings.registryCredentials,
    tls: toClientTls(settings),
    proxy: { http: settings.httpProxy, https: settings.httpsProxy, except: settings.noProxy },
    loadKey,
  });
  const services = { store, registry, defaultRegistry: settings.registry };
  const pullArtifact: PullArtifact = (input, signal) => startArtifact(input, signal);
  const createLater: CreateModel = (input, signal) => createModel(input, signal);
  const pullCached = withCachedModels(createPullModel({ ...services, pullArtifact }), {
    store,
    listCached: createListCached(settings),
    createModel: createLater,
  });
  const pullModel = withEmbeddedModels(pullCached, {
    store,
    folder: files.embeddedModels,
  });
  const packages = createPackageClient({ environment: packageEnvironment(processEnvironment), clock });
  // Each needs the other: FROM pulls packages and artifacts, and such a pull creates a model from their files.
  const pullPackage: PullPackage = (input, signal) => startPull(input, signal);
  const createModel = createCreateModel({
    store,
    quantizeFile,
    convertFiles,
    pullModel,
    pullPackage,
    compute,
    describeRemote,
    logger,
  });
  const startPull = createPullPackage({ store, packages, createModel });
  const startArtifact = createPullArtifact({ store, registry, createModel });
  return {
    pullModel,
    pullPackage,
    pushModel: createPushModel(services),
    createModel,
    readPublicKey: async () => formatPublicKey((await loadKey()).publicKey),
    async close() {
      packages.close();
      await registry.close();
    },
  };
}
