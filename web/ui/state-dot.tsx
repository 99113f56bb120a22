// A dot that shows whether a model is loaded.

export const modelStates = {
  unloaded: 'not loaded',
  loading: 'loading',
  idle: 'loaded',
  busy: 'answering',
  draining: 'unloading',
} as const;

export function StateDot({ state }: { readonly state: keyof typeof modelStates }) {
  return <span class={`dot ${state}`} title={modelStates[state]} />;
}
