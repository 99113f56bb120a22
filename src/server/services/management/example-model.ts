// The model that the server offers to try when it starts.

import { parseRequestedModel } from '../../../models/name.ts';
import type { Store } from '../../../models/store/store.ts';
import { listModels } from './list-models.ts';
import type { ShowModel } from './show-model.ts';

const preferred = 'ember';
// Each one takes time before the server can say that it listens.
const maxTried = 10;

/** Ember if it is there, otherwise the newest model that generates text. Undefined: there is none. */
export async function findExampleModel(store: Store, showModel: ShowModel): Promise<string | undefined> {
  const names = (await listModels(store))
    .filter(({ remote }) => remote === undefined)
    .map(({ name }) => shortName(name));
  if (names.includes(preferred)) return preferred;
  for (const name of names.slice(0, maxTried)) {
    const input = { model: parseRequestedModel(name), verbose: false, system: '', parameters: {} };
    const shown = await showModel(input).catch(() => undefined);
    if (shown?.capabilities.includes('completion')) return name;
  }
  return undefined;
}

function shortName(name: string): string {
  return name.replace(/:latest$/, '');
}
