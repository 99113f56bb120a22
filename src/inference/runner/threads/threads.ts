// Runs the passes of all contexts of a model. Only one computes at a time, so they share the threads.

import { systemClock } from '../../../base/time/clock.ts';
import { bindAbortFlag, decodeAborted } from '../llama/abort-flag.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { Threads } from '../llama/context.ts';
import { openContentionMeter } from './contention-meter.ts';
import { createPassGuard, type PassGuard, startWatchThread } from './pass-guard.ts';
import { createThreadGovernor, type ThreadGovernor } from './thread-governor.ts';
import { createThreadPools, type ThreadPools } from './thread-pools.ts';

interface ThreadsOptions {
  /** The number of threads on a quiet machine. */
  readonly limit: number;
  /** Whether there are fewer while other programs need the processors. */
  readonly adapts: boolean;
  /** What GPUs compute of the model. */
  readonly onGpu: 'nothing' | 'part' | 'all';
  /** The built watch-thread.js. */
  readonly watchScript: string;
}

export function createThreads(api: LlamaApi, { limit, adapts, onGpu, watchScript }: ThreadsOptions): Threads {
  if (onGpu === 'all') return withoutPools(api, limit);
  const usesGpu = onGpu === 'part';
  const meter = adapts && limit > 1 ? openContentionMeter({ onGpu: usesGpu }) : undefined;
  const pools = createThreadPools({ api, onStart: (threads) => meter?.watch(threads) });
  if (meter === undefined) return fixedThreads(api, pools, limit);
  const governor = createThreadGovernor({ limit, meter, clock: systemClock });
  // A part of the pass may be on a GPU, which cannot be stopped.
  const guard = meter.isExact && !usesGpu ? openGuard(api, watchScript) : undefined;
  return adaptingThreads({ api, pools, governor, guard }, limit);
}

function openGuard(api: LlamaApi, watchScript: string): PassGuard {
  return createPassGuard({
    clock: systemClock,
    setAbortFlag: bindAbortFlag(api),
    startWatchdog: (board) => void startWatchThread(watchScript, board),
  });
}

type Decoder = Pick<LlamaApi, 'decode' | 'contextFree'>;

// The processor only looks up the embeddings of tokens, with one thread. A pool would wake all its threads for that in
// every pass.
function withoutPools(api: Decoder, limit: number): Threads {
  return { limit, decode: api.decode, free: api.contextFree };
}

function fixedThreads(api: Decoder, pools: ThreadPools, limit: number): Threads {
  return {
    limit,
    decode(context, batch) {
      pools.use(context, limit);
      return api.decode(context, batch);
    },
    free(context) {
      pools.forget(context);
      api.contextFree(context);
    },
  };
}

export function adaptingThreads(
  {
    api,
    pools,
    governor,
    guard,
  }: {
    readonly api: Decoder;
    readonly pools: ThreadPools;
    readonly governor: ThreadGovernor;
    readonly guard: PassGuard | undefined;
  },
  limit: number,
): Threads {
  const fixed = fixedThreads(api, pools, limit);
  return {
    limit,
    decode(context, batch, { fixed: isFixed = false, undo } = {}) {
      if (isFixed) return fixed.decode(context, batch);
      const decode = (): number => api.decode(context, batch);
      // A pass with one thread is not ended, and each attempt has fewer.
      for (;;) {
        const { threads } = governor;
        pools.use(context, threads);
        governor.begin();
        const pass = { threads, tokens: batch.n_tokens, watched: undo !== undefined, decode };
        const code = guard?.run(context, pass) ?? decode();
        if (undo === undefined || threads === 1 || code !== decodeAborted) {
          governor.end();
          return code;
        }
        governor.giveWay();
        undo();
      }
    },
    free(context) {
      guard?.forget(context);
      fixed.free(context);
    },
  };
}
