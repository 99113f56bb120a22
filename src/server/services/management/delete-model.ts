// Deletes a model and the blobs that no other model uses. A loaded model is unloaded when its requests are done.

import { HearthError } from '../../../base/errors.ts';
import type { Engine } from '../../../inference/engine/ports.ts';
import type { RequestedModel } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';
import { keyOf } from '../models/open-model.ts';

export async function deleteModel(
  { store, engine }: { store: Store; engine: Engine },
  { name, text }: RequestedModel,
): Promise<void> {
  // A model with an unreadable manifest cannot be loaded, but it can be deleted.
  const stored = await store.find(name).catch(() => undefined);
  if (!(await store.removeModel(name))) throw new HearthError('model_not_found', `model '${text}' not found`);
  const key = stored && keyOf(stored.manifest);
  if (key === undefined) return;
  const isShared = (await store.list()).some(({ manifest }) => keyOf(manifest) === key);
  if (!isShared) await engine.unload(key);
}
