// Decides whether a pass is stuck: plain data, no clock. The watchdog looks at regular intervals and remembers its last
// look.

import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { contended } from './plan-threads.ts';
import type { WatchedPass } from './watch-board.ts';

export interface Look {
  readonly verdict: 'running' | 'stuck' | 'idle';
  readonly pass: number;
  /** When the pass was seen first, in nanoseconds. */
  readonly since: number;
  /** Measured when the pass has taken so long that it may become late. Most passes end before. */
  readonly measured: { readonly at: number; readonly waited: number } | undefined;
  /** How many looks in a row saw no pass. */
  readonly misses: number;
}

export interface Sight extends WatchedPass {
  readonly now: number;
  /** Nanoseconds that threads have waited for a processor. */
  readonly waited: () => number;
}

/** Between two looks. */
export const lookMilliseconds = 20;
// The share of the time after which the pass is late. A pass takes half of that time, and was seen after it began.
const measuredFrom = 1 / 3;
// Between two passes there is no pass for a moment.
const missesUntilIdle = 5;

export const firstLook: Look = { verdict: 'running', pass: 0, since: 0, measured: undefined, misses: 0 };

export function lookAtPass(last: Look, { pass, late, now, waited }: Sight): Look {
  if (pass === 0) {
    const misses = last.misses + 1;
    return { ...firstLook, misses, verdict: misses < missesUntilIdle ? 'running' : 'idle' };
  }
  if (pass !== last.pass) return { ...firstLook, pass, since: now };
  const share = (now - last.since) / (late * nanosecondsPerMillisecond);
  const { measured } = last;
  if (measured === undefined) return share < measuredFrom ? last : { ...last, measured: { at: now, waited: waited() } };
  if (share < 1) return last;
  const waiting = (waited() - measured.waited) / (now - measured.at);
  return { ...last, verdict: waiting >= contended ? 'stuck' : 'running' };
}
