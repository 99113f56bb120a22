// Decides with how many threads a model computes while other programs use the processors: plain data, no clock, so that
// it is tested with simulated machines.
//
// The threads of a pass wait for each other after every operation, and spin while they wait. If one of them has no
// processor, all of them wait. So a thread too many costs much more than a thread too few (docs/adr/0038).

import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';

export interface ThreadPlan {
  readonly threads: number;
  /** Whether threads waited in the last window, but not for so long that it was certain. */
  readonly suspected: boolean;
  /** When threads were given back on trial, and how many there were before. */
  readonly raised: { readonly at: number; readonly from: number } | undefined;
  /** Grows with time until threads are given back, faster with more free processors. */
  readonly credit: number;
  /** The credit that is needed. */
  readonly patience: number;
}

/** What was measured while passes ran. Times are nanoseconds. */
export interface Contention {
  readonly now: number;
  /** The time over which the averages were measured. */
  readonly time: number;
  /** How many threads of a pass were ready to run and had no processor, on average. */
  readonly waiting: number;
  /** How many processors were free, on average. */
  readonly free: number;
}

/**
 * How many threads wait on average if there are too many. With two threads, passes at this value are about as fast as
 * with one. A quiet machine has about 0.1, two threads next to a busy program 0.8.
 */
export const contended = 0.35;
/** One window is enough. Less may be a moment of work of the server, and one thread costs as much as waiting does. */
const certain = 0.6;
// The rest is for the server, which sends what the model writes.
const minFree = 0.6;
// Programs of other users may give way although they use all processors. But a thread too many costs several tokens, so
// the less is free, the more rarely one is tried.
const leastCredit = 0.005;
const shortestPatience = 100 * nanosecondsPerMillisecond;
const longestPatience = 3200 * nanosecondsPerMillisecond;
const trial = 1000 * nanosecondsPerMillisecond;

export function initialPlan(threads: number): ThreadPlan {
  return { threads, suspected: false, raised: undefined, credit: 0, patience: shortestPatience };
}

/**
 * The plan after a pass that was stuck. What its threads waited for says little about how many processors are left, and each
 * pass that is stuck costs more than a few threads too few for a moment.
 */
export function planAfterStuckPass(plan: ThreadPlan): ThreadPlan {
  return withFewer(plan, plan.raised?.from ?? Math.floor(plan.threads / 2));
}

/** `limit` is the number of threads on a quiet machine. */
export function planThreads(plan: ThreadPlan, contention: Contention, limit: number): ThreadPlan {
  if (contention.waiting >= contended) return isCertain(plan, contention) ? lower(plan, contention) : suspect(plan);
  const kept = { ...afterTrial(plan, contention), suspected: false };
  return kept.threads < limit ? raise(kept, contention, limit) : kept;
}

function isCertain({ suspected, raised }: ThreadPlan, { waiting }: Contention): boolean {
  return waiting >= certain || suspected || raised !== undefined;
}

function suspect(plan: ThreadPlan): ThreadPlan {
  return { ...plan, suspected: true, credit: 0 };
}

function lower(plan: ThreadPlan, { waiting }: Contention): ThreadPlan {
  return plan.threads === 1 ? { ...plan, credit: 0 } : withFewer(plan, plan.threads - Math.ceil(waiting));
}

function withFewer({ raised, patience }: ThreadPlan, threads: number): ThreadPlan {
  return {
    threads: Math.max(1, threads),
    suspected: false,
    raised: undefined,
    credit: 0,
    patience: raised === undefined ? shortestPatience : Math.min(2 * patience, longestPatience),
  };
}

function afterTrial(plan: ThreadPlan, { now }: Contention): ThreadPlan {
  const { threads, raised } = plan;
  return raised !== undefined && now - raised.at >= trial ? initialPlan(threads) : plan;
}

function raise(plan: ThreadPlan, { now, time, free }: Contention, limit: number): ThreadPlan {
  const share = Math.min(1, free / minFree);
  const credit = plan.credit + time * Math.max(leastCredit, share ** 2);
  if (credit < plan.patience) return { ...plan, credit };
  const more = Math.max(1, Math.floor(free + 1 - minFree));
  const threads = Math.min(limit, plan.threads + more);
  return { ...plan, threads, raised: { at: now, from: plan.threads }, credit: 0 };
}
