// What load options amount to for a model on this machine. Requests whose options differ only in form share a load:
// without num_ctx, with the trained context length, and with more than that, the context is the same.

import type { LoadOptions } from '../../../models/options.ts';
import { decideThreads } from '../../protocol/decide-threads.ts';
import type { ContextPlan } from './context-plan.ts';

interface LoadCircumstances {
  readonly plan: Pick<ContextPlan, 'length' | 'cacheTypes'>;
  /** Undefined: not known before the first load. */
  readonly hasGpu: boolean | undefined;
}

export function toEffectiveOptions(options: LoadOptions, { plan, hasGpu }: LoadCircumstances): LoadOptions {
  return {
    ...options,
    numCtx: plan.length,
    kvCacheTypeK: plan.cacheTypes.keys,
    kvCacheTypeV: plan.cacheTypes.values,
    numThread: decideThreads(options.numThread),
    // The draft model's file counts, not its name.
    draftModel: undefined,
    ...(hasGpu === false
      ? {
          numGpu: 0,
          mainGpu: 0,
          splitMode: undefined,
          tensorSplit: undefined,
          numCpuMoe: -1,
          overrideTensor: undefined,
          lowVram: false,
        }
      : {}),
  };
}
