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
  /** Of the second look at the pass: most passes are seen only once. */
  readonly second: { readonly at: number; readonly waited: number } | undefined;
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
// Between two passes there is no pass for a moment.
const missesUntilIdle = 5;

export const firstLook: Look = { verdict: 'running', pass: 0, since: 0, second: undefined, misses: 0 };

export function lookAtPass(last: Look, { pass, late, now, waited }: Sight): Look {
  if (pass === 0) {
    const misses = last.misses + 1;
    return { ...firstLook, misses, verdict: misses < missesUntilIdle ? 'running' : 'idle' };
  }
  if (pass !== last.pass) return { ...firstLook, pass, since: now };
  if (last.second === undefined) return { ...last, second: { at: now, waited: waited() } };
  if (now - last.since < late * nanosecondsPerMillisecond) return last;
  const waiting = (waited() - last.second.waited) / (now - last.second.at);
  return { ...last, verdict: waiting >= contended ? 'stuck' : 'running' };
}
