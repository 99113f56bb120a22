// One model in memory, from the decision to load it to the end of its runner. What becomes of it is told in one of two
// ways: loaded and later gone, or failed. A load that was called off is gone too.

import { type HearthError, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { EngineObserver } from '../ports.ts';
import type { StartedModel } from '../process/start-model.ts';

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
  readonly observer?: EngineObserver;
  /** Never called before `createResident` has returned; so are the others. */
  readonly onLoaded: (slots: number) => void;
  readonly onFailed: (error: HearthError) => void;
  readonly onGone: () => void;
}

export function createResident(options: ResidentOptions): Resident {
  const { name, start, clock, logger, observer, onLoaded, onFailed, onGone } = options;
  const unwanted = new AbortController();
  const begun = clock.monotonic();
  const secondsSince = (then: number): number => (clock.monotonic() - then) / 1e9;
  let started: StartedModel | undefined;

  const fail = (error: HearthError): void => {
    observer?.loadEnded({ model: name, seconds: secondsSince(begun), outcome: 'failed' });
    if (error.code === 'runner_died') observer?.runnerEnded({ model: name, crashed: true });
    onFailed(error);
  };

  const serve = async ({ runner, info }: StartedModel): Promise<void> => {
    const { pid } = runner;
    const seconds = secondsSince(begun);
    logger.info('model loaded', { model: name, pid, context: info.contextLength, ms: Math.round(seconds * 1000) });
    observer?.loadEnded({ model: name, seconds, outcome: 'ok' });
    if (unwanted.signal.aborted) void runner.stop();
    else onLoaded(info.parallel);
    const error = await runner.exited;
    if (error) logger.error(error.message, { model: name, pid });
    else logger.info('model unloaded', { model: name, pid });
    observer?.runnerEnded({ model: name, crashed: error !== undefined });
  };

  const live = async (): Promise<void> => {
    try {
      if (!unwanted.signal.aborted) started = await start(unwanted.signal);
    } catch (error) {
      if (unwanted.signal.aborted) onGone();
      else fail(toHearthError(error));
      return;
    }
    if (started !== undefined) await serve(started);
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
