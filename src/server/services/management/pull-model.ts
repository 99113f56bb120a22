// Pulls a model from a registry: fetches its manifest and the missing blobs, and stores the manifest last. Until then an
// existing model of that name is not changed.

import { digestOf } from '../../../base/digest.ts';
import { HearthError, messageOf, requestCanceled, toHearthError } from '../../../base/errors.ts';
import type { RequestedModel } from '../../../models/name.ts';
import type { FetchedManifest } from '../../../models/registry-client/manifests/fetch-manifest.ts';
import type { RemoteLayer } from '../../../models/registry-client/manifests/parse-manifest.ts';
import type { RegistryClient } from '../../../models/registry-client/registry-client.ts';
import { type Repository, toRepository } from '../../../models/registry-client/session/registry-address.ts';
import { digestsOf } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { requireModel } from '../models/model-access.ts';
import type { PullArtifact } from './artifact-pull.ts';
import { requireDiskSpace } from './disk-space.ts';
import { fileProgress, type ModelProgress } from './model-progress.ts';

export interface ModelTransfer {
  readonly model: RequestedModel;
  /** Allows plain HTTP and unverified certificates. */
  readonly insecure: boolean;
}

export interface TransferServices {
  readonly store: Store;
  readonly registry: RegistryClient;
  /** For model names without a host. */
  readonly defaultRegistry: string;
}

export type PullModel = (input: ModelTransfer, signal: AbortSignal) => AsyncGenerator<ModelProgress>;

interface PullServices extends TransferServices {
  /** For models that other tools packed. */
  readonly pullArtifact: PullArtifact;
}

export function createPullModel({ store, registry, defaultRegistry, pullArtifact }: PullServices): PullModel {
  return async function* pullModel({ model, insecure }, signal) {
    const { name, text } = model;
    requireModel(name);
    const repository = toRepository(name, { defaultRegistry, insecure, text });
    yield { status: 'pulling manifest' };
    const { bytes, layers, artifact } = await fetchManifest(registry, repository, { tag: name.tag, signal });
    if (artifact !== undefined)
      return yield* pullArtifact({ name, repository, artifact, digest: digestOf(bytes) }, signal);
    // Garbage collection would remove them: no manifest refers to them yet.
    const release = store.holdBlobs(layers.map(({ digest }) => digest));
    try {
      await checkDiskSpace(store, layers);
      for (const layer of layers) {
        for await (const completed of registry.fetchBlob(repository, layer, signal))
          yield fileProgress(`downloading ${layer.digest}`, layer, completed);
      }
      // Each blob was verified during its download.
      yield { status: 'verifying sha256 digest' };
      yield { status: 'writing manifest' };
      const replaced = await store.find(name).catch(() => undefined);
      await store.putManifest(name, bytes);
      yield { status: 'removing any unused layers' };
      if (replaced !== undefined) await store.removeUnusedBlobs(digestsOf(replaced.manifest));
    } catch (error) {
      throw signal.aborted ? requestCanceled() : error;
    } finally {
      release();
    }
    yield { status: 'success' };
  };
}

async function fetchManifest(
  registry: RegistryClient,
  repository: Repository,
  { tag, signal }: { readonly tag: string; readonly signal: AbortSignal },
): Promise<FetchedManifest> {
  try {
    return await registry.fetchManifest(repository, tag, signal);
  } catch (error) {
    if (signal.aborted) throw requestCanceled();
    const { code } = toHearthError(error);
    throw new HearthError(code, `pull model manifest: ${messageOf(error)}`, { cause: error });
  }
}

async function checkDiskSpace(store: Store, layers: readonly RemoteLayer[]): Promise<void> {
  let needed = 0;
  for (const { digest, size } of layers) {
    if (!(await store.hasBlob(digest))) needed += size - (await store.partialBytes(digest, size));
  }
  await requireDiskSpace(store, needed);
}
