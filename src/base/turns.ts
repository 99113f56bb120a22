// Runs works one after another, in order of arrival.

import { HearthError, requestCanceled } from './errors.ts';

export interface Turns {
  /** Waits for the turn. The result ends it. Rejects like `run`. */
  take(signal: AbortSignal): Promise<() => void>;
  /** Rejects with `cancelled` if the signal aborts before the turn, and with `busy` if too many wait. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export function createTurns(maxWaiting: number): Turns {
  const waiting: (() => void)[] = [];
  let running = false;

  function waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(requestCanceled());
      };
      waiting.push(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  function end(): void {
    const next = waiting.shift();
    // The turn passes directly, so that nobody can step in between.
    if (next) next();
    else running = false;
  }

  /** Undefined if there is no need to wait. */
  function begin(signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted) throw requestCanceled();
    if (waiting.length >= maxWaiting) throw new HearthError('busy', 'server busy, please try again');
    if (running) return waitForTurn(signal);
    running = true;
    return undefined;
  }

  return {
    async take(signal) {
      await begin(signal);
      return end;
    },
    async run(work, signal) {
      const turn = begin(signal);
      if (turn) await turn;
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
