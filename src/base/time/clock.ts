// The only reader of the time. Everything else is handed a Clock, so that tests can turn its hands.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Nanoseconds since some moment; never runs backwards. For durations. */
  monotonic(): number;
  /** Calls back once after `milliseconds`, however long that is. Does not keep the process alive. */
  after(milliseconds: number, callback: () => void): Timer;
}

// setTimeout fires at once when asked for more than this.
const maxTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.round(performance.now() * 1e6),
  after(milliseconds, callback) {
    let handle: NodeJS.Timeout;
    let left = milliseconds;
    const arm = (): void => {
      const part = Math.min(left, maxTimeout);
      left -= part;
      handle = setTimeout(() => (left > 0 ? arm() : callback()), part);
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};
