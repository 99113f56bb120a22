// Removes a model with all that no other model shares. If it is in memory, it goes when its running requests are done.

import { HearthError } from '../../../base/errors.ts';
import type { Engine } from '../../../inference/engine/ports.ts';
import { type ModelName, parseModelName } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';
import { keyOf } from '../models/open-model.ts';

export async function deleteModel(
  { store, engine }: { store: Store; engine: Engine },
  requested: string,
): Promise<void> {
  const name = parse(requested);
  // One that cannot be read is not in memory, and can be deleted all the same.
  const stored = await store.find(name).catch(() => undefined);
  if (!(await store.removeModel(name))) throw new HearthError('model_not_found', `model '${requested}' not found`);
  const key = stored && keyOf(stored.manifest);
  if (key === undefined) return;
  const isShared = (await store.list()).some(({ manifest }) => keyOf(manifest) === key);
  if (!isShared) engine.unload(key);
}

function parse(requested: string): ModelName {
  try {
    return parseModelName(requested);
  } catch {
    throw new HearthError('bad_request', `name "${requested}" is invalid`);
  }
}
