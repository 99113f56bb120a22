// The models in memory, latest expiry first. Does not wait for models that are loading.

import type { Engine, ResidentModel } from '../../../inference/engine/ports.ts';
import type { ModelDetails } from '../../../models/details.ts';
import { parseModelName } from '../../../models/name.ts';
import {
  decodeModelConfig,
  decodeRemoteModel,
  type StoredRemoteModel,
} from '../../../models/store/manifests/model-config.ts';
import type { Store } from '../../../models/store/store.ts';
import { mayUseModel } from '../models/model-access.ts';
import type { ModelAliases } from '../models/model-aliases.ts';
import { contextOfLoaded, type ShownContext } from '../models/shown-context.ts';

export interface LoadedEntry {
  readonly name: string;
  /** Another entry with the same files, which are in memory once. */
  readonly sharedWith?: string | undefined;
  /** Names that stand for it. Absent: there are none. */
  readonly aliases?: readonly string[] | undefined;
  readonly resident: ResidentModel;
  /** The digest of the model's manifest; empty if the model was deleted. */
  readonly digest: string;
  readonly details: ModelDetails;
  /** The time in milliseconds since the epoch; 0 if the model was deleted. */
  readonly modifiedAt: number;
  /** Undefined while the model loads, and for a model of a remote. */
  readonly context: ShownContext | undefined;
  /** Only of a model of a remote. */
  readonly remote?: StoredRemoteModel;
}

const unknownDetails: ModelDetails = {
  format: '',
  family: '',
  families: null,
  parameterSize: '',
  quantizationLevel: '',
};

interface ListLoadedParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly aliases: Pick<ModelAliases, 'aliasesOf'>;
}

export async function listLoaded({ engine, store, aliases }: ListLoadedParts): Promise<LoadedEntry[]> {
  const residents = engine.loaded().toSorted((a, b) => b.expiresAt - a.expiresAt);
  const entries = await Promise.all(residents.map((resident) => describeAll(store, resident)));
  return entries.flat().map((entry) => {
    const names = aliases.aliasesOf(entry.name);
    return names.length === 0 ? entry : { ...entry, aliases: names };
  });
}

/** An entry for each model that uses it and that the caller may see. */
async function describeAll(store: Store, resident: ResidentModel): Promise<LoadedEntry[]> {
  const { name: first, otherNames = [] } = resident;
  const names = [first, ...otherNames].filter((name) => mayUseModel(parseModelName(name)));
  const entries = await Promise.all(names.map((name) => describe(store, resident, name)));
  // The first one is in memory even if it was deleted.
  const shown = entries.filter(({ name, digest }) => name === first || digest !== '');
  return shown.map((entry, index) => (index === 0 ? entry : { ...entry, sharedWith: shown[0]?.name }));
}

async function describe(store: Store, resident: ResidentModel, name: string): Promise<LoadedEntry> {
  const { loaded } = resident;
  const context = loaded === undefined || loaded.backend === 'remote' ? undefined : contextOfLoaded(loaded);
  const stored = await store.find(parseModelName(name)).catch(() => undefined);
  if (stored === undefined) return { name, resident, digest: '', details: unknownDetails, modifiedAt: 0, context };
  const config = await store.readBlob(stored.manifest.config).catch(() => Buffer.alloc(0));
  const remote = decodeRemoteModel(config);
  return {
    name,
    resident,
    digest: stored.digest,
    details: decodeModelConfig(config),
    modifiedAt: stored.modifiedAt,
    context,
    remote,
  };
}
