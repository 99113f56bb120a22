// Decides whether a pass is stuck: plain data, no clock. The watchdog looks from time to time and remembers its last look.
// Each time it wakes up, it takes a processor from the pass for a tenth of a millisecond, so it looks rarely.

import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { contended } from './plan-threads.ts';
import type { WatchedPass } from './watch-board.ts';

export interface Look {
  readonly verdict: 'running' | 'stuck' | 'idle';
  /** Milliseconds until the next look. */
  readonly next: number;
  readonly pass: number;
  /** When the pass was seen first, in nanoseconds. */
  readonly since: number;
  /** At the second look at the pass. Most passes are seen only once. */
  readonly second: { readonly at: number; readonly waited: number } | undefined;
  /** How many looks in a row saw no pass. */
  readonly misses: number;
}

interface Sight extends WatchedPass {
  readonly now: number;
  /** Nanoseconds that threads have waited for a processor. */
  readonly waited: () => number;
}

// Milliseconds between looks, if no pass was seen, and from the second look at a pass on.
const withoutPass = 45;
const afterSecond = 20;
// The part of the time until a pass is late. Most passes are over by then: they take half of that time.
const untilSecond = 0.75;
// Between two passes there is no pass for a moment.
const missesUntilIdle = 3;

export const firstLook: Look = {
  verdict: 'running',
  next: withoutPass,
  pass: 0,
  since: 0,
  second: undefined,
  misses: 0,
};

export function lookAtPass(last: Look, { pass, late, now, waited }: Sight): Look {
  if (pass === 0) {
    const misses = last.misses + 1;
    return { ...firstLook, misses, verdict: misses < missesUntilIdle ? 'running' : 'idle' };
  }
  if (pass !== last.pass) return { ...firstLook, pass, since: now, next: untilSecond * late };
  const { second, since } = last;
  if (second === undefined) return { ...last, second: { at: now, waited: waited() }, next: afterSecond };
  if (now - since < late * nanosecondsPerMillisecond) return last;
  const waiting = (waited() - second.waited) / (now - second.at);
  return { ...last, verdict: waiting >= contended ? 'stuck' : 'running' };
}
