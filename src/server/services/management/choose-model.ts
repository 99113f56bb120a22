// The model for requests of clients that know servers with one model, and name none.

import { HearthError } from '../../../base/errors.ts';
import { parseModelName } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';
import type { ReadModelCard } from '../models/model-card.ts';
import { findExampleModel } from './example-model.ts';
import type { LoadedEntry } from './list-loaded.ts';
import type { ShowModel } from './show-model.ts';

interface ChooseServices {
  readonly store: Store;
  readonly readModelCard: ReadModelCard;
  readonly showModel: ShowModel;
  /** The one that was used last comes first. */
  readonly listLoaded: () => Promise<readonly LoadedEntry[]>;
}

/** Empty or absent: the caller names none. */
export type ChooseModel = (name: string | undefined) => Promise<string>;

/** A loaded model that generates text, otherwise the one that the server offers to try. */
export function createChooseModel({ store, readModelCard, showModel, listLoaded }: ChooseServices): ChooseModel {
  const generates = async (name: string): Promise<boolean> => {
    const stored = await store.find(parseModelName(name)).catch(() => undefined);
    const card = stored && (await readModelCard(stored));
    return card?.capabilities.includes('completion') ?? false;
  };
  return async (name) => {
    if (name !== undefined && name.trim() !== '') return name;
    for (const { resident } of await listLoaded())
      if (resident.state !== 'draining' && (await generates(resident.name))) return resident.name;
    const example = await findExampleModel(store, showModel);
    if (example === undefined) throw new HearthError('bad_request', 'model is required: the store has none');
    return example;
  };
}
