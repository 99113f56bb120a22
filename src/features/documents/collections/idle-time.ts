// The time in which no other request needs the processor. Models share it, so that vectors of passages would delay a chat with
// another model, too.

import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';

interface IdleTimeOptions {
  /** Whether a request that is not in the background waits for a model to be loaded. */
  readonly isModelWanted: () => boolean;
  /** Whether such a request runs a model. */
  readonly isModelUsed: () => boolean;
  readonly clock: Clock;
}

const checkMs = 250;
/** While work runs: a request that arrives shares the processor for so long, or until the model has ended its pass. */
const checkWorkMs = 10;
/** On a server that is always used, work is done as rarely as this. */
const patienceMs = 30_000;
/** A pass of a model cannot be stopped, so that work is divided into parts of about this time. */
const partMs = 50;
const mostItems = 16;

export class IdleTime {
  readonly #options: IdleTimeOptions;
  #items = 1;

  constructor(options: IdleTimeOptions) {
    this.#options = options;
  }

  /** How many items of work have about the right time. Follows what the last ones took. */
  get items(): number {
    return this.#items;
  }

  /** Resolves when the processor is idle, or with `late` if it was not for a long time. */
  async wait(signal: AbortSignal): Promise<'idle' | 'late'> {
    for (let waitedMs = 0; !signal.aborted; waitedMs += checkMs) {
      if (!this.#isNeeded()) return 'idle';
      if (waitedMs >= patienceMs && !this.#options.isModelWanted()) return 'late';
      await this.pause(checkMs, signal);
    }
    return 'idle';
  }

  /** Runs work whose signal aborts when a request needs the processor. Resolves with undefined then. */
  async run<Result>(
    items: number,
    work: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const needed = new AbortController();
    let timer = this.#options.clock.after(checkWorkMs, () => check());
    const check = (): void => {
      if (this.#isNeeded()) needed.abort();
      else timer = this.#options.clock.after(checkWorkMs, check);
    };
    const begun = this.#options.clock.monotonic();
    try {
      const result = await work(AbortSignal.any([signal, needed.signal]));
      this.#observe(items, (this.#options.clock.monotonic() - begun) / nanosecondsPerMillisecond);
      return result;
    } catch (error) {
      if (needed.signal.aborted) return undefined;
      throw error;
    } finally {
      timer.cancel();
    }
  }

  pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(milliseconds, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      const stop = (): void => {
        timer.cancel();
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #isNeeded(): boolean {
    return this.#options.isModelWanted() || this.#options.isModelUsed();
  }

  #observe(items: number, milliseconds: number): void {
    const fitting = Math.floor((items * partMs) / Math.max(milliseconds, 1));
    this.#items = Math.max(1, Math.min(fitting, 2 * items, mostItems));
  }
}
