// Removes a model with all that no other model shares. If it is in memory, it goes when its running requests are done.

import type { Engine } from '../engine/ports.ts';
import { HearthError } from '../kernel/errors.ts';
import { type ModelName, parseModelName } from '../model/name.ts';
import type { Store } from '../store/store.ts';
import { readStoredModel } from './open-model.ts';

export async function deleteModel(
  { store, engine }: { store: Store; engine: Engine },
  requested: string,
): Promise<void> {
  const name = parse(requested);
  const key = await keyOf(store, name);
  if (!(await store.removeModel(name))) throw new HearthError('model_not_found', `model '${requested}' not found`);
  if (key !== undefined && !(await isShared(store, key))) engine.unload(key);
}

function parse(requested: string): ModelName {
  try {
    return parseModelName(requested);
  } catch {
    throw new HearthError('bad_request', `name "${requested}" is invalid`);
  }
}

/** A damaged model has none, and can be deleted all the same. */
async function keyOf(store: Store, name: ModelName): Promise<string | undefined> {
  try {
    const stored = await store.find(name);
    return stored && (await readStoredModel(store, stored)).files.key;
  } catch {
    return undefined;
  }
}

async function isShared(store: Store, key: string): Promise<boolean> {
  for (const stored of await store.list()) if ((await keyOf(store, stored.name)) === key) return true;
  return false;
}
