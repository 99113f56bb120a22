// One model in memory, from the decision to load it to the end of its runner. The outcome is reported as `onLoaded` and
// later `onExited`, or as `onFailed`. A canceled load is reported as `onExited`.

import { type HearthError, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { EngineObserver, LoadTime } from '../ports.ts';
import type { StartedModel } from '../process/start-model.ts';

export interface Resident {
  readonly name: string;
  /** Absent until it is loaded. */
  readonly started: StartedModel | undefined;
  /** Absent until it is loaded. */
  readonly loadTime: LoadTime | undefined;
  /** What its load does. Absent: unknown. */
  readonly step: string | undefined;
  /** Resolves when it has left memory and that was reported. */
  readonly ended: Promise<void>;
  /** Ends its runner, or cancels its load. */
  stop(): void;
}

interface ResidentOptions {
  readonly name: string;
  /** The signal cancels the load. */
  readonly start: (signal: AbortSignal, report: (step: string) => void) => Promise<StartedModel>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer?: EngineObserver;
  /** Called after `createResident` has returned, as are the others. */
  readonly onLoaded: (info: StartedModel['info']) => void;
  readonly onFailed: (error: HearthError) => void;
  readonly onExited: () => void;
}

export function createResident(options: ResidentOptions): Resident {
  const { name, start, clock, logger, observer, onLoaded, onFailed, onExited } = options;
  const stopped = new AbortController();
  const begun = clock.monotonic();
  const secondsSince = (then: number): number => (clock.monotonic() - then) / 1e9;
  let started: StartedModel | undefined;
  let loadTime: LoadTime | undefined;
  let step: string | undefined;
  const report = (next: string): void => {
    step = next;
  };

  const fail = (error: HearthError): void => {
    observer?.loadEnded({ model: name, seconds: secondsSince(begun), outcome: 'failed' });
    if (error.code === 'runner_died') observer?.runnerEnded({ model: name, crashed: true });
    onFailed(error);
  };

  const serve = async ({ runner, info }: StartedModel): Promise<void> => {
    const { pid } = runner;
    loadTime = { from: begun, until: clock.monotonic() };
    const seconds = secondsSince(begun);
    logger.info('model loaded', { model: name, pid, context: info.contextLength, ms: Math.round(seconds * 1000) });
    observer?.loadEnded({ model: name, seconds, outcome: 'ok' });
    if (stopped.signal.aborted) void runner.stop();
    else onLoaded(info);
    const error = await runner.exited;
    if (error) logger.error(error.message, { model: name, pid });
    else logger.info('model unloaded', { model: name, pid });
    observer?.runnerEnded({ model: name, crashed: error !== undefined });
  };

  const run = async (): Promise<void> => {
    try {
      if (!stopped.signal.aborted) started = await start(stopped.signal, report);
    } catch (error) {
      if (stopped.signal.aborted) onExited();
      else fail(toHearthError(error));
      return;
    }
    if (started !== undefined) await serve(started);
    onExited();
  };
  const ended = Promise.resolve().then(run);

  return {
    name,
    get started() {
      return started;
    },
    get loadTime() {
      return loadTime;
    },
    get step() {
      return step;
    },
    ended,
    stop() {
      stopped.abort();
      void started?.runner.stop();
    },
  };
}
