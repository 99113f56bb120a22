// Threads of its own for a bare loop's context, set up as a runner sets up its own: otherwise the two would not compare.

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
