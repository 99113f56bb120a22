// The threads of llama.cpp: a pool for each number of threads that is used. A thread that a pass leaves out would spin
// until the next one, so a smaller number of threads is another pool. llama.cpp puts the threads of the pool that a
// context leaves to sleep.

import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { Address, ContextPointer } from '../llama/bindings/pointers.ts';
import { ownThreads } from './contention-meter.ts';

interface ThreadPoolsOptions {
  readonly api: Pick<LlamaApi, 'threadpoolNew' | 'attachThreadpool' | 'setThreads'>;
  /** Receives the ids of new threads. */
  readonly onStart: (threads: readonly string[]) => void;
}

export function createThreadPools({ api, onStart }: ThreadPoolsOptions) {
  // Pools are not freed: a context that has left one still asks it to sleep.
  const pools = new Map<number, Address | null>();
  const used = new Map<ContextPointer, number>();

  const start = (threads: number): Address | null => {
    const before = new Set(ownThreads());
    const pool = createPool(api, threads);
    onStart(ownThreads().filter((thread) => !before.has(thread)));
    pools.set(threads, pool);
    return pool;
  };

  return {
    /** The next passes of the context are computed by this many threads. */
    use(context: ContextPointer, threads: number): void {
      if (used.get(context) === threads) return;
      const known = pools.get(threads);
      const pool = known === undefined ? start(threads) : known;
      if (pool !== null) api.attachThreadpool(context, pool, pool);
      api.setThreads(context, threads, threads);
      used.set(context, threads);
    },
    /** The context was freed. */
    forget: (context: ContextPointer): void => void used.delete(context),
  };
}

export type ThreadPools = ReturnType<typeof createThreadPools>;

// A pool lives as long as the contexts: threads that are created for every token cost small models half of their
// speed. `poll` makes them spin for a moment between decodes before they sleep.
function createPool(api: ThreadPoolsOptions['api'], threads: number): Address | null {
  return api.threadpoolNew({
    cpumask: new Array<boolean>(512).fill(false),
    n_threads: threads,
    prio: 0,
    poll: 50,
    strict_cpu: false,
    paused: false,
  });
}
