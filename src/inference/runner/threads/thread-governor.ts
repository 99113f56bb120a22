// Measures passes in windows, and plans the number of threads after each window.

import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { ContentionMeter } from './contention-meter.ts';
import { initialPlan, planAfterStuckPass, planThreads } from './plan-threads.ts';

interface ThreadGovernorOptions {
  /** The number of threads on a quiet machine. */
  readonly limit: number;
  readonly meter: ContentionMeter;
  readonly clock: Clock;
}

interface Window {
  readonly start: number;
  readonly waited: number;
  /** Only if there are threads to give back. */
  readonly free: number | undefined;
}

// A longer pause between two passes ends a window: threads without work spin for a while, which is not measured.
const maxPause = 5 * nanosecondsPerMillisecond;

export function createThreadGovernor({ limit, meter, clock }: ThreadGovernorOptions) {
  let plan = initialPlan(limit);
  let threadTime = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;

  const open = (start: number): Window => ({
    start,
    waited: meter.waited(threadTime),
    free: plan.threads < limit ? meter.free() : undefined,
  });
  let window = open(lastEnd);

  const close = (now: number): void => {
    const time = now - window.start;
    const waiting = (meter.waited(threadTime) - window.waited) / time;
    const free = window.free === undefined ? 0 : (meter.free() - window.free) / time;
    plan = planThreads(plan, { now, time, waiting, free }, limit);
    window = open(now);
  };

  const finish = (): number => {
    const now = clock.monotonic();
    threadTime += (now - lastEnd) * plan.threads;
    lastEnd = now;
    return now;
  };

  return {
    /** The threads of the next pass. */
    get threads(): number {
      return plan.threads;
    },
    /** A pass begins. */
    begin(): void {
      const now = clock.monotonic();
      if (now - lastEnd <= maxPause) return;
      window = open(now);
      lastEnd = now;
    },
    /** The pass has ended. */
    end(): void {
      const now = finish();
      if (now - window.start >= meter.window) close(now);
    },
    /** The pass was stopped because its threads had to wait. The next one has fewer. */
    giveWay(): void {
      const now = finish();
      plan = planAfterStuckPass(plan);
      window = open(now);
    },
  };
}

export type ThreadGovernor = ReturnType<typeof createThreadGovernor>;
