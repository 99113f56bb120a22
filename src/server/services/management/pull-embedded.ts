// Pulls that need no registry: an embedded model that was deleted or changed comes back from the installation.

import { createConcurrencyLimit } from '../../../models/store/files/concurrency-limit.ts';
import { digestsOf } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { restoreEmbedded } from './install-embedded.ts';
import type { PullModel } from './pull-model.ts';

interface EmbeddedSource {
  readonly store: Store;
  /** The folder of the embedded models. */
  readonly folder: string;
}

export function withEmbeddedModels(pullModel: PullModel, { store, folder }: EmbeddedSource): PullModel {
  // The names of all embedded models are in one file.
  const oneAtATime = createConcurrencyLimit(1);
  return async function* pullEmbedded(input, signal) {
    const { name } = input.model;
    const replaced = await store.find(name).catch(() => undefined);
    if (!(await oneAtATime(() => restoreEmbedded(store, folder, name)))) {
      yield* pullModel(input, signal);
      return;
    }
    yield { status: 'installed the embedded model' };
    yield { status: 'removing any unused layers' };
    if (replaced !== undefined) await store.removeUnusedBlobs(digestsOf(replaced.manifest));
    yield { status: 'success' };
  };
}
