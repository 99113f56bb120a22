// What /props and /slots say about a model, loaded or not.

import { parseRequestedModel } from '../../../../models/name.ts';
import type { LoadedEntry } from '../../../services/management/list-loaded.ts';
import type { ShowModel } from '../../../services/management/show-model.ts';

interface ModelProperties {
  readonly name: string;
  readonly isLoaded: boolean;
  /** As it is, or as the next load would make it. 0: unknown. */
  readonly contextLength: number;
  /** 1 if the model is not loaded. */
  readonly slots: number;
  readonly template: string;
  readonly seesImages: boolean;
  readonly hearsAudio: boolean;
}

export type FindProperties = (model: string) => Promise<ModelProperties>;

interface PropertyServices {
  readonly showModel: ShowModel;
  readonly listLoaded: () => Promise<readonly LoadedEntry[]>;
}

export function createFindProperties({ showModel, listLoaded }: PropertyServices): FindProperties {
  return async (model) => {
    const requested = parseRequestedModel(model);
    const shown = await showModel({ model: requested, verbose: false, system: '', parameters: {} });
    const entries = await listLoaded();
    const found = entries.find(({ resident }) => isSame(parseRequestedModel(resident.name), requested));
    const info = found?.resident.loaded?.info;
    return {
      name: model,
      isLoaded: info !== undefined,
      contextLength: info?.contextLength ?? shown.context?.length ?? 0,
      slots: info?.parallel ?? 1,
      template: shown.template,
      seesImages: shown.capabilities.includes('vision'),
      hearsAudio: shown.capabilities.includes('audio'),
    };
  };
}

type Requested = ReturnType<typeof parseRequestedModel>;

function isSame({ name: a }: Requested, { name: b }: Requested): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
