// One model in memory, from the decision to load it to the end of its runner. What becomes of it is told in one of two
// ways: loaded and later gone, or failed. A load that was called off is gone too.

import type { Clock } from '../kernel/clock.ts';
import { type HearthError, toHearthError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { StartedModel } from './start-model.ts';

export interface Resident {
  /** Absent until it is loaded. */
  readonly started: StartedModel | undefined;
  /** Ends its runner, or its load. */
  stop(): void;
}

export interface ResidentOptions {
  readonly name: string;
  /** When the signal fires, the load is not wanted any more. */
  readonly start: (signal: AbortSignal) => Promise<StartedModel>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Never called before `createResident` has returned; so are the others. */
  readonly onLoaded: () => void;
  readonly onFailed: (error: HearthError) => void;
  readonly onGone: () => void;
}

export function createResident({ name, start, clock, logger, onLoaded, onFailed, onGone }: ResidentOptions): Resident {
  const unwanted = new AbortController();
  const begun = clock.monotonic();
  let started: StartedModel | undefined;

  const live = async (): Promise<void> => {
    try {
      if (!unwanted.signal.aborted) started = await start(unwanted.signal);
    } catch (error) {
      if (unwanted.signal.aborted) onGone();
      else onFailed(toHearthError(error));
      return;
    }
    if (started === undefined) {
      onGone();
      return;
    }
    const { runner, info } = started;
    const { pid } = runner;
    const milliseconds = Math.round((clock.monotonic() - begun) / 1e6);
    logger.info('model loaded', { model: name, pid, context: info.contextLength, ms: milliseconds });
    if (unwanted.signal.aborted) void runner.stop();
    else onLoaded();
    const error = await runner.exited;
    if (error) logger.error(error.message, { model: name, pid });
    else logger.info('model unloaded', { model: name, pid });
    onGone();
  };
  void Promise.resolve().then(live);

  return {
    get started() {
      return started;
    },
    stop() {
      unwanted.abort();
      void started?.runner.stop();
    },
  };
}
