// Runs the passes of all contexts of a model. Only one computes at a time, so they share the threads.

import { systemClock } from '../../../base/time/clock.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { ContextPointer } from '../llama/bindings/pointers.ts';
import type { BatchStruct } from '../llama/bindings/structs.ts';
import { openContentionMeter } from './contention-meter.ts';
import { createThreadGovernor } from './thread-governor.ts';
import { createThreadPools } from './thread-pools.ts';

export interface Threads {
  /** The number of threads on a quiet machine. */
  readonly limit: number;
  /** Runs llama_decode and returns its result. `fixed`: with all threads, on a busy machine too. */
  decode(context: ContextPointer, batch: BatchStruct, options?: { readonly fixed: boolean }): number;
  /** Frees the context. */
  free(context: ContextPointer): void;
}

export interface ThreadsOptions {
  /** The number of threads on a quiet machine. */
  readonly limit: number;
  /** Whether there are fewer while other programs need the processors. */
  readonly adapts: boolean;
  /** Whether a GPU computes a part of the model. */
  readonly onGpu: boolean;
}

export function createThreads(api: LlamaApi, { limit, adapts, onGpu }: ThreadsOptions): Threads {
  const meter = adapts && limit > 1 ? openContentionMeter({ onGpu }) : undefined;
  const governor = meter && createThreadGovernor({ limit, meter, clock: systemClock });
  const pools = createThreadPools({ api, onStart: (threads) => meter?.watch(threads) });
  return {
    limit,
    decode(context, batch, { fixed } = { fixed: false }) {
      if (governor === undefined || fixed) {
        pools.use(context, limit);
        return api.decode(context, batch);
      }
      pools.use(context, governor.threads);
      governor.begin();
      const code = api.decode(context, batch);
      governor.end();
      return code;
    },
    free(context) {
      pools.forget(context);
      api.contextFree(context);
    },
  };
}
