// Which models are in memory. A request names a model and the options to load it with; it gets a lease on one that
// fits, or waits until one is loaded. Nobody's running answer is ended to make room.

import type { Clock } from '../kernel/clock.ts';
import { HearthError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { AcquireRequest, LoadedModel } from './ports.ts';
import { createResident, type Resident } from './resident.ts';
import type { RunnerProcess } from './runner-process.ts';
import type { StartedModel } from './start-model.ts';

export interface Residency {
  /** A loaded model of that kind, held for the caller until `release`. */
  acquire(request: AcquireRequest, signal: AbortSignal): Promise<Held>;
  unload(key: string): void;
  loaded(): LoadedModel[];
  close(graceMilliseconds: number): Promise<void>;
}

export interface Held {
  readonly runner: RunnerProcess;
  describe(): LoadedModel;
  release(): void;
}

export interface ResidencyOptions {
  readonly start: (request: AcquireRequest) => Promise<StartedModel>;
  readonly maxLoaded: number;
  /** Milliseconds, for models whose requests name none. */
  readonly defaultKeepAlive: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createResidency({ start, maxLoaded, defaultKeepAlive, clock, logger }: ResidencyOptions): Residency {
  const residents = new Set<Resident>();
  const sleepers = new Set<() => void>();
  let closing = false;

  const wakeAll = (): void => {
    for (const wake of sleepers) wake();
  };

  const nextChange = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        sleepers.delete(done);
        signal.removeEventListener('abort', done);
        if (signal.aborted) reject(cancelled());
        else resolve();
      };
      sleepers.add(done);
      signal.addEventListener('abort', done);
    });

  const find = (key: string): Resident | undefined => [...residents].find((resident) => resident.key === key);

  const add = (request: AcquireRequest, fingerprint: string): Resident => {
    const resident: Resident = createResident({
      key: request.files.key,
      name: request.name,
      fingerprint,
      start: () => start(request),
      keepAlive: request.keepAlive ?? defaultKeepAlive,
      clock,
      logger,
      onChange: wakeAll,
      onGone: () => residents.delete(resident),
    });
    residents.add(resident);
    return resident;
  };

  /** Sends the idle model away that was used least recently, unless one is on its way out already. */
  const makeRoom = (): void => {
    const all = [...residents];
    if (all.some((resident) => resident.retiring)) return;
    const idle = all.filter((resident) => resident.leases === 0).sort((a, b) => a.lastUsed - b.lastUsed)[0];
    idle?.retire();
  };

  /** The resident to wait for, or undefined when something has to change first. */
  const choose = (request: AcquireRequest, fingerprint: string): Resident | undefined => {
    const resident = find(request.files.key);
    if (resident?.fingerprint === fingerprint && !resident.retiring) return resident;
    if (resident) {
      resident.retire();
      return undefined;
    }
    // One that is going still has its memory.
    if (residents.size < maxLoaded) return add(request, fingerprint);
    makeRoom();
    return undefined;
  };

  return {
    async acquire(request, signal) {
      const fingerprint = JSON.stringify(request.options);
      for (;;) {
        if (closing) throw new HearthError('shutting_down', 'the server is shutting down');
        if (signal.aborted) throw cancelled();
        const resident = choose(request, fingerprint);
        if (resident === undefined) {
          await nextChange(signal);
          continue;
        }
        const release = once(resident.release);
        resident.hold(request.keepAlive);
        try {
          await Promise.race([resident.ready, untilAborted(signal)]);
          return { runner: resident.runner, describe: () => resident.describe() as LoadedModel, release };
        } catch (error) {
          release();
          throw error;
        }
      }
    },
    unload: (key) => find(key)?.retire(),
    loaded: () => [...residents].map((resident) => resident.describe()).filter((model) => model !== undefined),
    async close(graceMilliseconds) {
      closing = true;
      wakeAll();
      const timeUp = new Promise<void>((resolve) => clock.after(graceMilliseconds, resolve));
      const allIdle = async (): Promise<void> => {
        const never = new AbortController().signal;
        while ([...residents].some((resident) => resident.leases > 0)) await nextChange(never);
      };
      await Promise.race([allIdle(), timeUp]);
      await Promise.all([...residents].map((resident) => resident.stop()));
    },
  };
}

function cancelled(): HearthError {
  return new HearthError('cancelled', 'request canceled');
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(cancelled()), { once: true });
  });
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
