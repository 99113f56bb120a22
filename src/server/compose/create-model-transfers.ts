// The services that bring models into the store and out of it: pull, push, create.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { toClientTls } from '../../base/config/client-tls.ts';
import { keyFolders } from '../../base/config/key-folders.ts';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createListCached } from '../../features/caches/cached-models.ts';
import { withCachedModels } from '../../features/caches/pull-cached.ts';
import { serverFeatures } from '../../features/server-features.ts';
import type { Compute } from '../../inference/compute/compute.ts';
import type { DescribeRemoteModel } from '../../inference/remote/describe-remote-model.ts';
import { loadOrCreateKey } from '../../models/keys/load-or-create-key.ts';
import { formatPublicKey } from '../../models/keys/public-key.ts';
import { createRegistryClient } from '../../models/registry-client/registry-client.ts';
import type { Store } from '../../models/store/store.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { type CreateModel, createCreateModel } from '../services/create/create-model.ts';
import type { CreateSources } from '../services/create/model-sources.ts';
import { ModelPulls } from '../services/management/model-pulls.ts';
import { createPreparePull } from '../services/management/prepare-pull.ts';
import { withEmbeddedModels } from '../services/management/pull-embedded.ts';
import { createPullModel } from '../services/management/pull-model.ts';
import { createPushModel } from '../services/management/push-model.ts';
import type { Inference } from './create-inference.ts';
import type { PackageFiles } from './package-files.ts';

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

export function createModelTransfers(parts: ModelTransferParts) {
  const { settings, version, store, inference, compute, describeRemote, files, clock, logger } = parts;
  const { quantizeFile, childSettings } = inference;
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
  // Creation and sources need each other: FROM pulls packages and artifacts, and such a pull creates a model from their
  // files.
  const sources: CreateSources = {
    pullPackage: (input, signal) => found('pullPackage', 'packages')(input, signal),
    pullArtifact: (input, signal) => found('pullArtifact', 'artifacts of other tools')(input, signal),
    convertFiles: (request) => found('convertFiles', 'checkpoints')(request),
  };
  const createLater: CreateModel = (input, signal) => createModel(input, signal);
  const pullCached = withCachedModels(createPullModel({ ...services, pullArtifact: sources.pullArtifact }), {
    store,
    listCached: createListCached(settings),
    createModel: createLater,
  });
  const pullModel = withEmbeddedModels(pullCached, { store, folder: files.embeddedModels });
  const createModel = createCreateModel({
    ...sources,
    store,
    quantizeFile,
    pullModel,
    compute,
    describeRemote,
    logger,
  });
  const opened = serverFeatures.map((feature) =>
    feature.openSources?.({ store, registry, createModel, childSettings, scriptOf: files.scriptOf, clock }),
  );
  function found<Key extends keyof CreateSources>(key: Key, what: string): CreateSources[Key] {
    const source = opened.find((candidate) => candidate?.[key])?.[key];
    if (source === undefined) throw new HearthError('unsupported', `this server does not support ${what}`);
    return source as CreateSources[Key];
  }
  const prepare = createPreparePull({ pullModel, pullPackage: sources.pullPackage });
  const file = join(settings.models, 'pulls.json');
  const pulls = new ModelPulls({ prepare, file, newId: randomUUID, clock, logger });
  return {
    pulls,
    pushModel: createPushModel(services),
    createModel,
    /** The key that pushes are signed with. */
    readPublicKey: async () => formatPublicKey((await loadKey()).publicKey),
    /** Downloads are resumable, so there is nothing to wait for. */
    async close() {
      await pulls.close();
      for (const source of opened) source?.close?.();
      await registry.close();
    },
  };
}
