// How many lines run at the same time, of all batches together. Batches take turns. When a person's request waits for a
// model to be loaded, the lines give way: they are asked again later.

import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { pause } from '../../../base/time/pause.ts';

interface LineSlotsOptions {
  readonly count: number;
  /** Whether a request that is not part of a batch waits for a model to be loaded. */
  readonly isNeeded: () => boolean;
  readonly clock: Clock;
}

const checkIntervalMs = 250;
// The person who waited may have more to ask. Loading models in turn would help nobody.
const restMs = 10_000;

export class LineSlots {
  readonly #options: LineSlotsOptions;
  readonly #running = new Set<AbortController>();
  readonly #waiting: (() => void)[] = [];
  #isWatching = false;
  #restsUntilMs = 0;

  constructor(options: LineSlotsOptions) {
    this.#options = options;
  }

  /**
   * Runs the work of a line when it is its turn. The signal of the work aborts when the line gives way, and when `signal`
   * does. Resolves with undefined if the line was not begun because of that.
   */
  async run<Result>(work: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
    while (!signal.aborted && !this.#hasRoom()) await this.#waitForRoom(signal);
    if (signal.aborted) return undefined;
    const controller = new AbortController();
    this.#running.add(controller);
    void this.#watch();
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      this.#running.delete(controller);
      this.#waiting[0]?.();
    }
  }

  #hasRoom(): boolean {
    return this.#running.size < this.#options.count && !this.#isResting();
  }

  #isResting(): boolean {
    return this.#options.clock.monotonic() / nanosecondsPerMillisecond < this.#restsUntilMs;
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    if (this.#isResting()) return pause(this.#options.clock, checkIntervalMs);
    await new Promise<void>((resolve) => {
      const leave = (): void => {
        signal.removeEventListener('abort', leave);
        const place = this.#waiting.indexOf(leave);
        if (place !== -1) this.#waiting.splice(place, 1);
        resolve();
      };
      this.#waiting.push(leave);
      signal.addEventListener('abort', leave);
    });
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { clock, isNeeded } = this.#options;
    while (this.#running.size > 0) {
      if (isNeeded()) {
        this.#restsUntilMs = clock.monotonic() / nanosecondsPerMillisecond + restMs;
        for (const controller of this.#running) controller.abort();
      }
      await pause(clock, checkIntervalMs);
    }
    this.#isWatching = false;
  }
}
