// A world for the residency machine: it carries out actions, keeps its own books of who holds what, and complains when
// the machine does something that it must never do. Knows nothing of how the machine decides.

import type { HearthError } from '../../../src/base/errors.ts';
import { advanceResidency } from '../../../src/inference/engine/residency/residency-machine.ts';
import {
  emptyResidency,
  type ResidencyAction,
  type ResidencyEvent,
  type ResidencyLimits,
  type ResidencyState,
} from '../../../src/inference/engine/residency/residency-state.ts';

export interface WorldModel {
  readonly id: number;
  readonly key: string;
  readonly fingerprint: string;
  loaded: boolean;
  stopping: boolean;
  /** The last caller who came before somebody asked for it to be unloaded. */
  lastServed: number;
  bytes: number;
  keepAlive: number;
  /** When the last lease ended, or the load if there was none. */
  idleSince: number;
}

export interface WorldCaller {
  readonly id: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly keepAlive: number | undefined;
  estimated: boolean;
  model: WorldModel | undefined;
  outcome: 'waiting' | 'granted' | 'begun' | 'released' | 'left' | 'rejected' | 'lost';
  error?: HearthError;
}

type WithoutTime<Event> = Event extends ResidencyEvent ? Omit<Event, 'at'> : never;

export interface World {
  readonly state: ResidencyState;
  readonly time: number;
  readonly models: WorldModel[];
  readonly callers: WorldCaller[];
  /** Keys in the order in which their loads began. */
  readonly loads: string[];
  request(key: string, fingerprint?: string, keepAlive?: number): WorldCaller;
  estimate(caller: WorldCaller): void;
  leave(caller: WorldCaller): void;
  begin(caller: WorldCaller): void;
  release(caller: WorldCaller): void;
  finishLoad(model: WorldModel): void;
  failLoad(model: WorldModel, error: HearthError): void;
  /** The runner ends: because it was told to, or by itself. */
  exit(model: WorldModel): void;
  unload(key: string): void;
  pass(milliseconds: number): void;
  close(): void;
  deadline(): void;
  /** Everything that is under way comes to its end, and whoever has a lease gives it back. */
  finishAll(): void;
}

export interface WorldOptions {
  readonly limits: ResidencyLimits;
  /** Bytes that a load of the key is estimated at, and what it then takes. */
  readonly estimateOf: (key: string) => number;
  readonly takes?: (key: string) => number;
}

export function createWorld({ limits, estimateOf, takes = estimateOf }: WorldOptions): World {
  const models: WorldModel[] = [];
  const callers: WorldCaller[] = [];
  const loads: string[] = [];
  let state = emptyResidency;
  let time = 0;
  let alarm: number | undefined;
  let phase: 'open' | 'closing' | 'over' = 'open';

  const expect = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(`${what} (at ${time}, ${JSON.stringify(state)})`);
  };
  const callerOf = (id: number): WorldCaller => callers.find((caller) => caller.id === id) as WorldCaller;
  const modelOf = (id: number): WorldModel => models.find((model) => model.id === id) as WorldModel;
  const holding = (model: WorldModel): WorldCaller[] =>
    callers.filter((caller) => caller.model === model && ['granted', 'begun'].includes(caller.outcome));
  const waiting = (): WorldCaller[] => callers.filter(({ outcome }) => outcome === 'waiting');

  const tell = (event: WithoutTime<ResidencyEvent>): void => {
    const { state: next, actions } = advanceResidency(state, { ...event, at: time } as ResidencyEvent, limits);
    state = next;
    actions.forEach(obey);
    checkAlways();
  };

  function obey(action: ResidencyAction): void {
    switch (action.type) {
      case 'load':
        load(action.model, callerOf(action.caller));
        break;
      case 'stop':
        stop(modelOf(action.model));
        break;
      case 'grant':
        grant(callerOf(action.caller), modelOf(action.model));
        break;
      case 'reject': {
        const caller = callerOf(action.caller);
        expect(caller.outcome === 'waiting', 'somebody was turned away who does not wait');
        Object.assign(caller, { outcome: 'rejected', error: action.error });
        break;
      }
      case 'wake':
        alarm = action.at;
    }
  }

  function load(id: number, { key, fingerprint, keepAlive = limits.defaultKeepAlive }: WorldCaller): void {
    expect(phase === 'open', 'a load while closing');
    expect(!models.some((model) => model.key === key), 'the same weights twice');
    loads.push(key);
    const flags = { loaded: false, stopping: false, lastServed: Number.POSITIVE_INFINITY };
    models.push({ id, key, fingerprint, ...flags, bytes: estimateOf(key), keepAlive, idleSince: time });
  }

  function stop(model: WorldModel): void {
    expect(!model.stopping, 'stopped twice');
    expect(phase === 'over' || holding(model).length === 0, 'a running request was killed');
    const due = model.keepAlive <= 0 || (model.loaded && time >= model.idleSince + model.keepAlive);
    const wanted = waiting().some(({ key, fingerprint }) => key !== model.key || fingerprint !== model.fingerprint);
    const over = models.reduce((sum, { bytes }) => sum + bytes, 0) > limits.memoryBudget;
    const unloaded = Number.isFinite(model.lastServed);
    expect(due || wanted || over || unloaded || phase !== 'open', 'stopped without a reason');
    model.stopping = true;
  }

  function grant(caller: WorldCaller, model: WorldModel): void {
    expect(caller.outcome === 'waiting', 'a lease for somebody who does not wait');
    expect(model.loaded && !model.stopping, 'a lease on a model that is not there');
    expect(model.key === caller.key && model.fingerprint === caller.fingerprint, 'a lease on another model');
    expect(caller.id <= model.lastServed, 'a lease on a model that was to be unloaded');
    Object.assign(caller, { outcome: 'granted', model });
    if (caller.keepAlive !== undefined) model.keepAlive = caller.keepAlive;
  }

  function checkAlways(): void {
    const bytes = models.reduce((sum, model) => sum + model.bytes, 0);
    expect(takes !== estimateOf || bytes <= limits.memoryBudget, 'over the memory budget');
    expect(models.length <= limits.maxLoaded, 'too many models');
    for (const key of new Set(callers.map((caller) => caller.key))) {
      const queue = callers.filter(
        (caller) => caller.key === key && (caller.outcome === 'waiting' || caller.outcome === 'granted'),
      );
      expect(queue.length <= Math.max(1, limits.maxQueue), 'too many wait');
    }
    for (const model of models) {
      if (!model.loaded || model.stopping || holding(model).length > 0) continue;
      const expiry = model.idleSince + model.keepAlive;
      expect(expiry === Number.POSITIVE_INFINITY || (alarm ?? expiry + 1) <= expiry, 'nobody will wake it to go');
    }
  }

  function remove(model: WorldModel): void {
    models.splice(models.indexOf(model), 1);
  }

  const world: World = {
    get state() {
      return state;
    },
    get time() {
      return time;
    },
    models,
    callers,
    loads,
    request(key, fingerprint = '', keepAlive) {
      const id = callers.length + 1;
      const entry = { id, key, fingerprint, keepAlive, estimated: false };
      const caller: WorldCaller = { ...entry, model: undefined, outcome: 'waiting' };
      callers.push(caller);
      tell({ type: 'request', id, key, name: key, fingerprint, ...(keepAlive === undefined ? {} : { keepAlive }) });
      return caller;
    },
    estimate(caller) {
      caller.estimated = true;
      tell({ type: 'estimated', caller: caller.id, bytes: estimateOf(caller.key) });
    },
    leave(caller) {
      caller.outcome = 'left';
      tell({ type: 'leave', caller: caller.id });
    },
    begin(caller) {
      caller.outcome = 'begun';
      tell({ type: 'begin', caller: caller.id });
    },
    release(caller) {
      caller.outcome = 'released';
      if (caller.model) caller.model.idleSince = time;
      tell({ type: 'release', caller: caller.id });
    },
    finishLoad(model) {
      Object.assign(model, { loaded: true, idleSince: time, bytes: takes(model.key) });
      tell({ type: 'loaded', model: model.id, bytes: model.bytes });
    },
    failLoad(model, error) {
      remove(model);
      tell({ type: 'load-failed', model: model.id, error });
    },
    exit(model) {
      for (const caller of holding(model)) caller.outcome = 'lost';
      remove(model);
      tell({ type: 'gone', model: model.id });
    },
    unload(key) {
      for (const model of models) if (model.key === key) model.lastServed = Math.min(model.lastServed, callers.length);
      tell({ type: 'unload', key });
    },
    pass(milliseconds) {
      const end = time + milliseconds;
      while (alarm !== undefined && alarm <= end) {
        // A timer may fire a little early, once.
        time = Math.max(alarm - time > 1 ? alarm - 0.5 : alarm, time);
        alarm = undefined;
        tell({ type: 'tick' });
      }
      time = end;
    },
    close() {
      if (phase === 'open') phase = 'closing';
      tell({ type: 'close' });
    },
    deadline() {
      phase = 'over';
      tell({ type: 'deadline' });
    },
    finishAll() {
      const those = (...outcomes: WorldCaller['outcome'][]): WorldCaller[] =>
        callers.filter(({ outcome }) => outcomes.includes(outcome));
      those('waiting')
        .filter(({ estimated }) => !estimated)
        .forEach(world.estimate);
      for (const model of [...models]) {
        if (model.stopping) world.exit(model);
        else if (!model.loaded) world.finishLoad(model);
      }
      those('granted').forEach(world.begin);
      those('begun').forEach(world.release);
    },
  };
  return world;
}
