// The models in the store, newest first.

import type { ModelDetails } from '../../../models/details.ts';
import { formatModelName } from '../../../models/name.ts';
import {
  decodeModelConfig,
  decodeRemoteModel,
  type StoredRemoteModel,
} from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import type { ModelCard, ReadModelCard } from '../models/model-card.ts';
import { parentOf } from '../models/open-model.ts';

export interface ListedModel {
  readonly name: string;
  /** The time in milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** The size of all layers, including shared ones. */
  readonly bytes: number;
  readonly digest: string;
  readonly details: ModelDetails;
  /** The model that its weights were taken from; empty if unknown. */
  readonly parentModel: string;
  /** Only for stubs of models that run on another host. */
  readonly remote?: StoredRemoteModel;
}

export async function listModels(store: Store): Promise<ListedModel[]> {
  const models = await Promise.all((await store.list()).map((stored) => describe(store, stored)));
  return models.sort(newestFirst);
}

export interface ListedCard extends ListedModel {
  readonly card: ModelCard | undefined;
}

/** The same with what is in the files of each model. */
export async function listModelCards(store: Store, readCard: ReadModelCard): Promise<ListedCard[]> {
  const models = await Promise.all(
    (await store.list()).map(async (stored) => ({
      ...(await describe(store, stored)),
      card: await readCard(stored),
    })),
  );
  return models.sort(newestFirst);
}

function newestFirst(a: ListedModel, b: ListedModel): number {
  return b.modifiedAt - a.modifiedAt;
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
    parentModel: parentOf(manifest),
    remote,
  };
}
