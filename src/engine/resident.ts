// One model in memory, from the decision to load it to the end of its runner: who holds a lease on it, and when it
// may go.

import type { Clock, Timer } from '../kernel/clock.ts';
import { HearthError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { LoadedModel } from './ports.ts';
import type { RunnerProcess } from './runner-process.ts';
import type { StartedModel } from './start-model.ts';

export interface Resident {
  readonly key: string;
  /** Of the options it was loaded with; another fingerprint needs another load. */
  readonly fingerprint: string;
  /** Settles when the load does. */
  readonly ready: Promise<void>;
  readonly leases: number;
  /** It takes no more leases and goes when the last one ends. */
  readonly retiring: boolean;
  /** Monotonic; for deciding who was used least recently. */
  readonly lastUsed: number;
  /** Undefined while it loads. */
  describe(): LoadedModel | undefined;
  /** Counts one more holder, who may come before the load is done; `keepAlive` replaces the one it has. */
  hold(keepAlive: number | undefined): void;
  release(): void;
  /** For a holder, once it is ready. */
  readonly runner: RunnerProcess;
  /** Lets it go as soon as no lease is left. */
  retire(): void;
  /** Ends it now, leases or not. */
  stop(): Promise<void>;
}

export interface ResidentOptions {
  readonly key: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly start: () => Promise<StartedModel>;
  /** Milliseconds. */
  readonly keepAlive: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Something changed that others may wait for: a lease ended, the model is gone. */
  readonly onChange: () => void;
  readonly onGone: () => void;
}

export function createResident(options: ResidentOptions): Resident {
  const { key, name, fingerprint, clock, logger, onChange } = options;
  let { keepAlive } = options;
  let started: StartedModel | undefined;
  let leases = 0;
  let retiring = false;
  let gone = false;
  let lastUsed = clock.monotonic();
  let idleSince = clock.now();
  let expiry: Timer | undefined;

  const begun = clock.monotonic();
  const loading = options.start();
  const ready = loading.then((model) => {
    started = model;
    const { pid } = model.runner;
    logger.info('model loaded', {
      model: name,
      pid,
      context: model.info.contextLength,
      ms: Math.round((clock.monotonic() - begun) / 1e6),
    });
    void model.runner.exited.then((error) => {
      if (error) logger.error(error.message, { model: name, pid });
      leave();
    });
    settle();
  });
  ready.catch(leave);

  function leave(): void {
    if (gone) return;
    gone = true;
    expiry?.cancel();
    options.onGone();
    onChange();
  }

  /** Nobody holds it: go, or set the time at which to go. */
  function settle(): void {
    expiry?.cancel();
    if (leases > 0 || started === undefined || gone) return;
    idleSince = clock.now();
    if (retiring || keepAlive <= 0) void stop();
    else if (Number.isFinite(keepAlive)) expiry = clock.after(keepAlive, () => void stop());
  }

  async function stop(): Promise<void> {
    retiring = true;
    expiry?.cancel();
    const model = started ?? (await loading.catch(() => undefined));
    if (model === undefined || gone) return;
    logger.info('model unloaded', { model: name, pid: model.runner.pid });
    await model.runner.stop();
  }

  return {
    key,
    fingerprint,
    ready,
    get leases() {
      return leases;
    },
    get retiring() {
      return retiring;
    },
    get lastUsed() {
      return lastUsed;
    },
    describe() {
      if (started === undefined) return undefined;
      const { runner, info, fallback } = started;
      const expiresAt = (leases > 0 ? clock.now() : idleSince) + keepAlive;
      return {
        name,
        key,
        pid: runner.pid,
        info,
        memory: runner.memory,
        counters: runner.counters,
        fallback,
        expiresAt,
      };
    },
    get runner() {
      if (started === undefined) throw new HearthError('internal', `model ${name} is not loaded`);
      return started.runner;
    },
    hold(wanted) {
      expiry?.cancel();
      leases++;
      if (wanted !== undefined) keepAlive = wanted;
    },
    release() {
      leases--;
      lastUsed = clock.monotonic();
      settle();
      onChange();
    },
    retire() {
      retiring = true;
      settle();
    },
    stop,
  };
}
