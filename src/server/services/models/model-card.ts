// What clients want to know about each model of a list, from the header and the template of the model. Read once per
// manifest.

import { createLruCache } from '../../../base/lru-cache.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import { type Capability, capabilitiesOf } from './capabilities.ts';
import type { ChooseTemplate } from './choose-template.ts';
import type { ModelFactsReader } from './model-facts.ts';
import { readStoredModel } from './open-model.ts';

export interface ModelCard {
  readonly capabilities: readonly Capability[];
  readonly contextLength?: number;
  readonly embeddingLength?: number;
}

/** Undefined for a model that cannot be read: one damaged model must not break the list. */
export type ReadModelCard = (stored: StoredModel) => Promise<ModelCard | undefined>;

export interface ModelCardServices {
  readonly store: Store;
  readonly facts: ModelFactsReader;
  readonly chooseTemplate: ChooseTemplate;
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

async function readCard({ store, facts, chooseTemplate }: ModelCardServices, stored: StoredModel): Promise<ModelCard> {
  const model = await readStoredModel(store, stored);
  const modelFacts = await facts.read(model.files);
  const { template } = await chooseTemplate('', model);
  const { contextLength, embeddingLength } = modelFacts;
  return {
    capabilities: capabilitiesOf({ facts: modelFacts, template, files: model.files }),
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(embeddingLength === undefined ? {} : { embeddingLength }),
  };
}
