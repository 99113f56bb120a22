// What load options amount to for a model on this machine. Requests whose options differ only in form share a load:
// without num_ctx, with the trained context length, and with more than that, the context is the same.

import type { LoadOptions } from '../../models/options.ts';
import { decideThreads } from '../protocol/decide-threads.ts';

export interface LoadCircumstances {
  /** Context length of requests without one. */
  readonly defaultContextLimit: number;
  /** 0 or absent: unknown. */
  readonly trainedContext?: number;
  /** Undefined: not known before the first load. */
  readonly hasGpu: boolean | undefined;
}

export function toEffectiveOptions(options: LoadOptions, circumstances: LoadCircumstances): LoadOptions {
  const { defaultContextLimit, trainedContext = 0, hasGpu } = circumstances;
  return {
    ...options,
    numCtx: Math.min(options.numCtx ?? defaultContextLimit, trainedContext || Number.MAX_SAFE_INTEGER),
    numThread: decideThreads(options.numThread),
    ...(hasGpu === false ? { numGpu: 0, mainGpu: 0, lowVram: false } : {}),
  };
}
