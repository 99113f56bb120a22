// The only reader of the system time. All other code takes a Clock, so that tests control time.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Nanoseconds since an arbitrary point; never decreases. For durations. */
  monotonic(): number;
  /** Calls back once after any number of milliseconds. Does not keep the process alive. */
  after(milliseconds: number, callback: () => void): Timer;
}

// setTimeout fires immediately for longer delays.
const maxTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.round(performance.now() * 1e6),
  after(milliseconds, callback) {
    let handle: NodeJS.Timeout;
    let remaining = milliseconds;
    const arm = (): void => {
      const part = Math.min(remaining, maxTimeout);
      remaining -= part;
      handle = setTimeout(() => (remaining > 0 ? arm() : callback()), part);
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Keeps the process alive until the returned function is called. Timers of a clock and signals do not: a process that
 * only waits for them would end.
 */
export function keepProcessAlive(): () => void {
  const handle = setInterval(() => {}, maxTimeout);
  return () => clearInterval(handle);
}
