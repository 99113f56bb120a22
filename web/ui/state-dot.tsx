// A dot that shows whether a model is loaded.

import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';

export const modelStates = {
  unloaded: 'not loaded',
  loading: 'loading',
  idle: 'loaded',
  busy: 'answering',
  sleeping: 'sleeping',
  draining: 'unloading',
} as const satisfies Record<string, Label>;

export function StateDot({ state }: { readonly state: keyof typeof modelStates }) {
  return <span class={`dot ${state}`} title={t(modelStates[state])} />;
}
