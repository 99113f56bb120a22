// What clients want to know about each model of a list, from the header and the template of the model. Read once per
// manifest.

import { createLruCache } from '../../../base/lru-cache.ts';
import type { DescribeModel, ModelDescription } from '../../../inference/local/describe-model.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import { readStoredModel } from './open-model.ts';

export type ModelCard = Pick<ModelDescription, 'capabilities' | 'contextLength' | 'embeddingLength'>;

/** Undefined for a model that cannot be read: one damaged model must not break the list. */
export type ReadModelCard = (stored: StoredModel) => Promise<ModelCard | undefined>;

interface ModelCardServices {
  readonly store: Store;
  readonly describeModel: DescribeModel;
}

const maxCached = 1000;

export function createReadModelCard(services: ModelCardServices): ReadModelCard {
  const cache = createLruCache<Promise<ModelCard>>(maxCached);
  return (stored) => {
    const card = cache.getOrCreate(stored.digest, () => readCard(services, stored));
    return card.catch(() => {
      // The files may be complete the next time.
      cache.delete(stored.digest);
      return undefined;
    });
  };
}

async function readCard({ store, describeModel }: ModelCardServices, stored: StoredModel): Promise<ModelCard> {
  const { capabilities, contextLength, embeddingLength } = await describeModel(await readStoredModel(store, stored));
  return { capabilities, contextLength, embeddingLength };
}
