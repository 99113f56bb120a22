// Which remote models are in use, or were lately. They take no memory here: the list is for `ps`, and for requests that
// say how long a model is to be kept.

import type { Clock, Timer } from '../../base/time/clock.ts';
import type { LoadedModel, ResidentModel } from '../engine/ports.ts';

interface RemoteResidencyOptions {
  /** Milliseconds that a model stays in the list. */
  readonly keepAlive: number;
  readonly clock: Clock;
  /** The model is not needed any more. */
  readonly onUnload: (key: string) => Promise<void>;
}

interface Entry {
  readonly id: number;
  readonly model: LoadedModel;
  leases: number;
  /** The keep-alive time of the last request that has one. */
  asked: number | undefined;
  timer: Timer | undefined;
  expiresAt: number;
}

export function createRemoteResidency({ keepAlive, clock, onUnload }: RemoteResidencyOptions) {
  const entries = new Map<string, Entry>();
  let nextId = 1;
  let running = 0;
  const waiting: (() => void)[] = [];

  const expire = async (key: string, entry: Entry): Promise<void> => {
    entries.delete(key);
    // The default is about memory of this machine.
    if (entry.asked !== undefined) await onUnload(key);
  };
  const rest = (key: string, entry: Entry): void => {
    const time = entry.asked ?? keepAlive;
    entry.expiresAt = clock.now() + time;
    if (time <= 0) void expire(key, entry);
    else if (Number.isFinite(time)) entry.timer = clock.after(time, () => void expire(key, entry));
  };
  const isIdle = (): boolean => running === 0;

  return {
    /** `keepAlive`: milliseconds that the request asks for. Absent: the model is not put to sleep. */
    hold(model: LoadedModel, asked: number | undefined): () => void {
      const { key } = model;
      const entry = entries.get(key) ?? { id: nextId++, model, leases: 0, asked, timer: undefined, expiresAt: 0 };
      entries.set(key, entry);
      entry.timer?.cancel();
      entry.leases++;
      running++;
      entry.asked = asked ?? entry.asked;
      entry.expiresAt = clock.now() + (entry.asked ?? keepAlive);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        entry.leases--;
        running--;
        if (entry.leases === 0 && entries.get(key) === entry) rest(key, entry);
        if (isIdle()) for (const resolve of waiting.splice(0)) resolve();
      };
    },
    /** Puts it to sleep when its last request ends. */
    async unload(key: string): Promise<boolean> {
      const entry = entries.get(key);
      if (entry === undefined) {
        await onUnload(key);
        return true;
      }
      entry.asked = 0;
      entry.timer?.cancel();
      if (entry.leases === 0) await expire(key, entry);
      return true;
    },
    list: (): ResidentModel[] =>
      [...entries.values()].map(({ id, model, leases, expiresAt }) => {
        const { name, key, memory, ...loaded } = model;
        const state = leases > 0 ? 'busy' : 'idle';
        return { id, name, key, state, memory, expiresAt, leases, queued: 0, loaded };
      }),
    /** The number of requests that hold a model. */
    running: (): number => running,
    /** Resolves when no request runs. */
    idle: (): Promise<void> => (isIdle() ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}

export type RemoteResidency = ReturnType<typeof createRemoteResidency>;
