// Whether a model is loaded, as a dot.

import type { ModelEntry } from '../api/models.ts';

export const modelStates: Readonly<Record<ModelEntry['state'], string>> = {
  unloaded: 'not loaded',
  loading: 'loading',
  idle: 'loaded',
  busy: 'answering',
  draining: 'unloading',
};

export function StateDot({ state }: Pick<ModelEntry, 'state'>) {
  return <span class={`dot ${state}`} title={modelStates[state]} />;
}
