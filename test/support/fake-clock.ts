// A clock for tests: time passes only with `advance`, which fires due timers in order.

import type { Clock, Timer } from '../../src/base/time/clock.ts';

interface Due {
  readonly at: number;
  readonly callback: () => void;
}

export interface FakeClock extends Clock {
  advance(milliseconds: number): void;
}

export function createFakeClock(startMilliseconds = Date.UTC(2030, 0, 1)): FakeClock {
  let time = startMilliseconds;
  let timers: Due[] = [];

  return {
    now: () => time,
    monotonic: () => Math.round((time - startMilliseconds) * 1e6),
    after(milliseconds, callback): Timer {
      const due: Due = { at: time + milliseconds, callback };
      timers.push(due);
      return {
        cancel: () => {
          timers = timers.filter((timer) => timer !== due);
        },
      };
    },
    advance(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        time = next.at;
        next.callback();
      }
      time = end;
    },
  };
}
