// Creates contexts of a loaded model, with its adapters.

import { HearthError } from '../../../base/errors.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { AdapterPointer, ContextPointer, ModelPointer } from '../llama/bindings/pointers.ts';
import type { ContextParams } from '../llama/bindings/structs.ts';

/** Returns undefined if the memory does not suffice. */
export type ContextFactory = (params: ContextParams) => ContextPointer | undefined;

export function createContextFactory(
  api: LlamaApi,
  model: ModelPointer,
  adapters: readonly AdapterPointer[],
): ContextFactory {
  return (params) => {
    const context = api.contextNew(model, params);
    if (context === null) return undefined;
    attachAdapters(api, context, adapters);
    return context;
  };
}

export function loadAdapters(api: LlamaApi, model: ModelPointer, paths: readonly string[]): AdapterPointer[] {
  return paths.map((path) => {
    const adapter = api.adapterLoad(model, path);
    if (adapter === null) throw new HearthError('load_failed', 'the adapter does not fit the model');
    return adapter;
  });
}

function attachAdapters(api: LlamaApi, context: ContextPointer, adapters: readonly AdapterPointer[]): void {
  if (adapters.length > 0) createAdapterSwitch(api, context, adapters)(adapters.map(() => 1));
}

/** Applies adapters to the next passes of a context: one scale for each, 0 for none. */
export type AdapterSwitch = (scales: readonly number[]) => void;

export function createAdapterSwitch(
  api: LlamaApi,
  context: ContextPointer,
  adapters: readonly AdapterPointer[],
): AdapterSwitch {
  let current: readonly number[] | undefined;
  return (scales) => {
    if (scales === current || adapters.length === 0) return;
    const used = adapters.flatMap((adapter, index) => {
      const scale = scales[index] ?? 0;
      return scale === 0 ? [] : [{ adapter, scale }];
    });
    const pointers = BigUint64Array.from(used, ({ adapter }) => adapter);
    // Does nothing if the adapters and scales are the same as before.
    const code = api.adaptersSet(
      context,
      pointers,
      used.length,
      Float32Array.from(used, ({ scale }) => scale),
    );
    if (code !== 0) throw new HearthError('load_failed', 'llama.cpp did not accept the adapter');
    current = scales;
  };
}
