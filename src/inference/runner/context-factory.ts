// Makes contexts over a loaded model. All of them have its adapters, and share its threads: only one computes at a time.

import { HearthError } from '../../base/errors.ts';
import type { LlamaApi } from './llama/bindings/llama-api.ts';
import type { AdapterPointer, Address, ContextPointer, ModelPointer } from './llama/bindings/pointers.ts';
import type { ContextParams } from './llama/bindings/structs.ts';

/** Undefined where there is no memory for it. */
export type ContextFactory = (params: ContextParams) => ContextPointer | undefined;

interface ContextEquipment {
  readonly adapters: readonly AdapterPointer[];
  readonly threads: number;
}

export function createContextFactory(
  api: LlamaApi,
  model: ModelPointer,
  { adapters, threads }: ContextEquipment,
): ContextFactory {
  const pool = createThreads(api, threads);
  return (params) => {
    const context = api.contextNew(model, params);
    if (context === null) return undefined;
    if (pool !== null) api.attachThreadpool(context, pool, pool);
    attachAdapters(api, context, adapters);
    return context;
  };
}

// A pool that lives as long as the contexts: made and torn down for every token, threads cost small models half
// of their speed. `poll` lets them spin for a moment between two decodes before they sleep.
function createThreads(api: LlamaApi, threads: number): Address | null {
  return api.threadpoolNew({
    cpumask: new Array<boolean>(512).fill(false),
    n_threads: threads,
    prio: 0,
    poll: 50,
    strict_cpu: false,
    paused: false,
  });
}

export function loadAdapters(api: LlamaApi, model: ModelPointer, paths: readonly string[]): AdapterPointer[] {
  return paths.map((path) => {
    const adapter = api.adapterLoad(model, path);
    if (adapter === null) throw new HearthError('load_failed', 'the adapter does not fit the model');
    return adapter;
  });
}

function attachAdapters(api: LlamaApi, context: ContextPointer, adapters: readonly AdapterPointer[]): void {
  if (adapters.length === 0) return;
  const scales = new Float32Array(adapters.length).fill(1);
  if (api.adaptersSet(context, BigUint64Array.from(adapters), adapters.length, scales) !== 0) {
    throw new HearthError('load_failed', 'the engine did not accept the adapter');
  }
}
