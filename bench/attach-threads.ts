// A thread pool for the context of a bare loop, with the settings of a runner, so that the two are comparable.

import type { LlamaApi } from '../src/inference/runner/llama/bindings/llama-api.ts';
import type { Address, ContextPointer } from '../src/inference/runner/llama/bindings/pointers.ts';

export function attachThreads(api: LlamaApi, context: ContextPointer, threads: number): void {
  const pool = api.threadpoolNew({
    cpumask: new Array<boolean>(512).fill(false),
    n_threads: threads,
    prio: 0,
    poll: 50,
    strict_cpu: false,
    paused: false,
  }) as Address;
  api.attachThreadpool(context, pool, pool);
}
