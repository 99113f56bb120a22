// Decides with how many threads a model computes while other programs use the processors: plain data, no clock, so that
// it is tested with simulated machines.
//
// The threads of a pass wait for each other after every operation, and spin while they wait. If one of them has to wait
// for a processor, all of them do. A pass with one thread less than there are free processors is much faster than one
// with a thread too many (docs/adr/0038).

import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';

export interface ThreadPlan {
  readonly threads: number;
  /** When threads were last given back; undefined: not since they were lowered. */
  readonly raisedAt: number | undefined;
  /** Since when there are idle processors. */
  readonly idleSince: number | undefined;
  /** How long processors must be idle before threads are given back. */
  readonly patience: number;
}

/** What was measured while passes ran, as averages over a window. Times are nanoseconds. */
export interface Contention {
  readonly now: number;
  /** Threads of the pass that were ready to run and had no processor. */
  readonly waiting: number;
  /** Processors of the machine that no program used. */
  readonly idle: number;
}

// With two threads, passes at this value are as fast as with one. A quiet machine has less than 0.1, two threads next to
// a busy program 0.8.
const contended = 0.35;
// An idle machine is not idle entirely: the server sends what the model writes.
const minIdle = 0.6;
const shortestPatience = 200 * nanosecondsPerMillisecond;
const longestPatience = 10_000 * nanosecondsPerMillisecond;
/** A raise that is taken back within this time was wrong. */
const trial = 1000 * nanosecondsPerMillisecond;

export function initialPlan(threads: number): ThreadPlan {
  return { threads, raisedAt: undefined, idleSince: undefined, patience: shortestPatience };
}

/** `limit` is the number of threads on a quiet machine. */
export function planThreads(plan: ThreadPlan, contention: Contention, limit: number): ThreadPlan {
  if (contention.waiting >= contended) return lower(plan, contention);
  return plan.threads < limit ? raiseIfIdle(plan, contention, limit) : plan;
}

function lower(plan: ThreadPlan, { now, waiting }: Contention): ThreadPlan {
  const { threads, raisedAt, patience } = plan;
  if (threads === 1) return { ...plan, idleSince: undefined };
  const wasWrong = raisedAt !== undefined && now - raisedAt < trial;
  return {
    threads: Math.max(1, threads - Math.ceil(waiting)),
    raisedAt: undefined,
    idleSince: undefined,
    // Idle processors that do not help, as those that a container may not use, are tried less and less often.
    patience: wasWrong ? Math.min(2 * patience, longestPatience) : shortestPatience,
  };
}

function raiseIfIdle(plan: ThreadPlan, { now, idle }: Contention, limit: number): ThreadPlan {
  if (idle < minIdle) return { ...plan, idleSince: undefined };
  const { threads, idleSince = now, patience } = plan;
  if (now - idleSince < patience) return { ...plan, idleSince };
  const more = Math.floor(idle + 1 - minIdle);
  return { threads: Math.min(limit, threads + more), raisedAt: now, idleSince: undefined, patience };
}
