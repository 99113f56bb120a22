// The context that a model is loaded with.

import type { CacheTypes } from '../../../models/kv-cache-types.ts';

/** Why a context has its length: num_ctx of the request, num_ctx of the model, the setting context_length, the memory,
 * or the trained length, which is the limit. */
export type ContextSource = 'request' | 'model' | 'setting' | 'memory' | 'trained';

export interface ContextPlan {
  /** Tokens per request. */
  readonly length: number;
  /** `length`, then shorter ones to use if a GPU has too little memory for it. */
  readonly lengths: readonly number[];
  readonly source: ContextSource;
  readonly parallel: number;
  readonly cacheTypes: CacheTypes;
  /** Estimated main memory of the loaded model if it is not on GPUs. */
  readonly bytes: number;
}
