// Brings a model from a library: its manifest, the files that are not here yet, and then the name. Until the last step
// the name means what it meant before.

import { HearthError, messageOf, toHearthError } from '../../../base/errors.ts';
import { parseModelName } from '../../../models/name.ts';
import type { FetchedManifest } from '../../../models/registry-client/fetch-manifest.ts';
import type { RemoteLayer } from '../../../models/registry-client/parse-manifest.ts';
import { type Repository, toRepository } from '../../../models/registry-client/registry-address.ts';
import type { RegistryClient } from '../../../models/registry-client/registry-client.ts';
import { digestsOf } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { fileProgress, type Progress } from './progress.ts';

export interface TransferInput {
  readonly model: string;
  /** Plain http, for a library of one's own. */
  readonly insecure: boolean;
}

export interface TransferServices {
  readonly store: Store;
  readonly registry: RegistryClient;
  /** Where models are whose name has no host. */
  readonly defaultRegistry: string;
}

export type PullModel = (input: TransferInput, signal: AbortSignal) => AsyncGenerator<Progress>;

export function createPullModel({ store, registry, defaultRegistry }: TransferServices): PullModel {
  return async function* pullModel({ model, insecure }, signal) {
    if (model === '') throw new HearthError('bad_request', 'model is required');
    const name = parseModelName(model);
    const repository = toRepository(name, { defaultRegistry, insecure, text: model });
    yield { status: 'pulling manifest' };
    const { bytes, layers } = await fetchManifest(registry, repository, { tag: name.tag, signal });
    // Until the manifest is there, nobody else knows that they are needed.
    const release = store.holdBlobs(layers.map(({ digest }) => digest));
    try {
      await checkRoom(store, layers);
      for (const layer of layers) {
        for await (const completed of registry.fetchBlob(repository, layer, signal))
          yield fileProgress(`downloading ${layer.digest}`, layer, completed);
      }
      // Each was held against its digest while it came in.
      yield { status: 'verifying sha256 digest' };
      yield { status: 'writing manifest' };
      const replaced = await store.find(name).catch(() => undefined);
      await store.putManifest(name, bytes);
      yield { status: 'removing any unused layers' };
      if (replaced !== undefined) await store.removeUnusedBlobs(digestsOf(replaced.manifest));
    } catch (error) {
      throw signal.aborted ? new HearthError('cancelled', 'request canceled') : error;
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
    if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
    const { code } = toHearthError(error);
    throw new HearthError(code, `pull model manifest: ${messageOf(error)}`, { cause: error });
  }
}

/** Better now than after hours. */
async function checkRoom(store: Store, layers: readonly RemoteLayer[]): Promise<void> {
  let needed = 0;
  for (const { digest, size } of layers) {
    if (!(await store.hasBlob(digest))) needed += size - (await store.partialBytes(digest, size));
  }
  const free = await store.freeBytes();
  if (free === undefined || needed <= free) return;
  const [wanted, available] = [needed, free].map((bytes) => `${(bytes / 1e9).toFixed(2)} GB`);
  const message = `not enough room on the disk: ${wanted} more are needed, and ${available} are free. Make room and pull again.`;
  throw new HearthError('disk_full', message);
}
