// The sizes of contexts to try, in order of preference.

import { HearthError } from '../../../base/errors.ts';
import { decideThreads } from '../../protocol/decide-threads.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { ModelPointer } from '../llama/bindings/pointers.ts';
import { type ContextShape, decideContextLengths, type LoadPlan } from './load-params.ts';

export function decideShapes(
  api: LlamaApi,
  model: ModelPointer,
  plan: LoadPlan & Pick<ContextShape, 'loadsHead'>,
): [ContextShape, ...ContextShape[]] {
  const threads = decideThreads(plan.settings.threads);
  const { parallel, loadsHead } = plan;
  const [longest, ...others] = decideContextLengths(plan, api.modelTrainedContext(model)).map((contextLength) => ({
    contextLength,
    parallel,
    threads,
    loadsHead,
  }));
  if (longest === undefined) throw new HearthError('load_failed', 'the load command has no context length');
  return [longest, ...others];
}
