// The models in the store, newest first.

import type { ModelDetails } from '../../../models/details.ts';
import { formatModelName } from '../../../models/name.ts';
import {
  decodeModelConfig,
  decodeRemoteModel,
  type RemoteModel,
} from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';

export interface ListedModel {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** The size of all layers, including shared ones. */
  readonly bytes: number;
  readonly digest: string;
  readonly details: ModelDetails;
  /** Only for stubs of models that run on another host. */
  readonly remote?: RemoteModel;
}

export async function listModels(store: Store): Promise<ListedModel[]> {
  const models = await Promise.all((await store.list()).map((stored) => describe(store, stored)));
  return models.sort((a, b) => b.modifiedAt - a.modifiedAt);
}

async function describe(store: Store, { name, manifest, digest, modifiedAt }: StoredModel): Promise<ListedModel> {
  const config = await store.readBlob(manifest.config).catch(() => Buffer.alloc(0));
  const remote = decodeRemoteModel(config);
  return {
    name: formatModelName(name),
    modifiedAt,
    bytes: [manifest.config, ...manifest.layers].reduce((sum, { size }) => sum + size, 0),
    digest,
    details: decodeModelConfig(config),
    ...(remote ? { remote } : {}),
  };
}
