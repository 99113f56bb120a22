// Simulates the environment of the residency machine: executes its actions, keeps its own record of who holds what, and
// throws when the machine breaks a rule. Independent of how the machine decides.

import type { HearthError } from '../../../src/base/errors.ts';
import { addDevices, type DeviceBytes, noDeviceBytes } from '../../../src/inference/engine/planning/device-bytes.ts';
import type { SleepFigures } from '../../../src/inference/engine/process/model-process.ts';
import { advanceResidency } from '../../../src/inference/engine/residency/residency-machine.ts';
import {
  emptyResidency,
  type LoadNeeds,
  type ResidencyAction,
  type ResidencyEvent,
  type ResidencyLimits,
  type ResidencyState,
} from '../../../src/inference/engine/residency/residency-state.ts';

export interface SimulatedModel {
  readonly id: number;
  readonly key: string;
  readonly fingerprint: string;
  loaded: boolean;
  stopping: boolean;
  sleep: 'beginning' | 'asleep' | undefined;
  hasLoaded: boolean;
  /** The last caller that arrived before an unload was requested; Infinity without one. */
  lastServed: number;
  bytes: number;
  keepAlive: number;
  /** When the last lease ended, or the load if there was none, or when it fell asleep. */
  idleSince: number;
}

export interface SimulatedCaller {
  readonly id: number;
  readonly client: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly keepAlive: number | undefined;
  estimated: boolean;
  model: SimulatedModel | undefined;
  outcome: 'waiting' | 'granted' | 'begun' | 'released' | 'left' | 'rejected' | 'evicted' | 'lost';
  error?: HearthError;
}

type WithoutTime<Event> = Event extends ResidencyEvent ? Omit<Event, 'at'> : never;

export interface Simulation {
  readonly state: ResidencyState;
  readonly time: number;
  readonly models: SimulatedModel[];
  readonly callers: SimulatedCaller[];
  /** Keys in the order in which their loads began. */
  readonly loads: string[];
  request(key: string, fingerprint?: string, keepAlive?: number, client?: string): SimulatedCaller;
  estimate(caller: SimulatedCaller): void;
  leave(caller: SimulatedCaller): void;
  begin(caller: SimulatedCaller): void;
  release(caller: SimulatedCaller): void;
  /** Also ends a wake-up. */
  finishLoad(model: SimulatedModel): void;
  finishSleep(model: SimulatedModel): void;
  /** It does not sleep, or does not wake up. */
  failSleep(model: SimulatedModel): void;
  failLoad(model: SimulatedModel, error: HearthError): void;
  /** The runner exits, requested or not. */
  exit(model: SimulatedModel): void;
  /** Only a model that does not serve others than `client`, if one is given. */
  unload(key: string, client?: string): void;
  pass(milliseconds: number): void;
  close(): void;
  deadline(): void;
  /** Completes every pending estimate, load and exit, and releases every lease. */
  finishAll(): void;
}

export interface SimulationOptions {
  readonly limits: ResidencyLimits;
  /** Estimated bytes of a load of the key. `takes`: its actual bytes. */
  readonly estimateOf: (key: string) => number;
  readonly takes?: (key: string) => number;
  /** Bytes on GPUs, estimated and actual. */
  readonly devicesOf?: (key: string) => DeviceBytes;
  /** Absent: no model can sleep. */
  readonly sleepingOf?: (key: string) => SleepFigures | undefined;
}

export function createSimulation({
  limits,
  estimateOf,
  takes = estimateOf,
  devicesOf = () => noDeviceBytes,
  sleepingOf = () => undefined,
}: SimulationOptions): Simulation {
  const models: SimulatedModel[] = [];
  const callers: SimulatedCaller[] = [];
  const loads: string[] = [];
  let state = emptyResidency;
  let time = 0;
  let wakeAt: number | undefined;
  let hasFailed = false;
  let phase: 'open' | 'closing' | 'over' = 'open';

  const expect = (holds: boolean, rule: string): void => {
    if (!holds) throw new Error(`${rule} (at ${time}, ${JSON.stringify(state)})`);
  };
  const callerOf = (id: number): SimulatedCaller => callers.find((caller) => caller.id === id) as SimulatedCaller;
  const modelOf = (id: number): SimulatedModel => models.find((model) => model.id === id) as SimulatedModel;
  const holding = (model: SimulatedModel): SimulatedCaller[] =>
    callers.filter((caller) => caller.model === model && ['granted', 'begun', 'evicted'].includes(caller.outcome));
  const waiting = (): SimulatedCaller[] => callers.filter(({ outcome }) => outcome === 'waiting');

  const dispatch = (event: WithoutTime<ResidencyEvent>): void => {
    const { state: next, actions } = advanceResidency(state, { ...event, at: time } as ResidencyEvent, limits);
    state = freeze(next);
    actions.forEach(execute);
    checkInvariants();
  };

  function execute(action: ResidencyAction): void {
    switch (action.type) {
      case 'load':
        load(action.model, callerOf(action.caller));
        break;
      case 'stop':
        stop(modelOf(action.model));
        break;
      case 'sleep':
        fallAsleep(modelOf(action.model));
        break;
      case 'wake-up':
        wakeUp(modelOf(action.model));
        break;
      case 'grant':
        grant(callerOf(action.caller), modelOf(action.model));
        break;
      case 'reject': {
        const caller = callerOf(action.caller);
        expect(caller.outcome === 'waiting', 'rejected a caller that is not waiting');
        Object.assign(caller, { outcome: 'rejected', error: action.error });
        break;
      }
      case 'evict': {
        const caller = callerOf(action.caller);
        expect(caller.outcome === 'granted', 'evicted a caller that has no lease or has begun');
        Object.assign(caller, { outcome: 'evicted', error: action.error });
        break;
      }
      case 'wake':
        wakeAt = action.at;
    }
  }

  function load(id: number, { key, fingerprint, keepAlive = limits.defaultKeepAliveMs }: SimulatedCaller): void {
    expect(phase === 'open', 'started a load while closing');
    expect(!models.some((model) => model.key === key), 'loaded the same weights twice');
    loads.push(key);
    const flags = {
      loaded: false,
      stopping: false,
      sleep: undefined,
      hasLoaded: false,
      lastServed: Number.POSITIVE_INFINITY,
    };
    models.push({ id, key, fingerprint, ...flags, bytes: estimateOf(key), keepAlive, idleSince: time });
  }

  function stop(model: SimulatedModel): void {
    expect(!model.stopping, 'stopped twice');
    expect(phase === 'over' || holding(model).length === 0, 'killed a running request');
    const slept = model.sleep === 'asleep' && time >= model.idleSince + (sleepingOf(model.key)?.sleepMs ?? 0);
    const due = model.keepAlive <= 0 || (model.loaded && time >= model.idleSince + model.keepAlive) || slept;
    const needed = waiting().some(({ key, fingerprint }) => key !== model.key || fingerprint !== model.fingerprint);
    const over = models.reduce((sum, { bytes }) => sum + bytes, 0) > limits.memoryBudget;
    const unloaded = Number.isFinite(model.lastServed);
    expect(due || needed || over || unloaded || phase !== 'open' || hasFailed, 'stopped without a reason');
    model.stopping = true;
  }

  function fallAsleep(model: SimulatedModel): void {
    expect(model.loaded && !model.stopping && holding(model).length === 0, 'put a model to sleep that is not idle');
    const isDue = time >= model.idleSince + model.keepAlive;
    const isNeeded = waiting().some(({ key }) => key !== model.key);
    expect(isDue || isNeeded, 'put a model to sleep without a reason');
    const bytes = Math.max(model.bytes, sleepingOf(model.key)?.sleepBytes ?? 0);
    Object.assign(model, { loaded: false, sleep: 'beginning', bytes });
  }

  function wakeUp(model: SimulatedModel): void {
    expect(model.sleep === 'asleep' && !model.stopping, 'woke a model up that does not sleep');
    expect(
      waiting().some(({ key }) => key === model.key),
      'woke a model up that is not needed',
    );
    model.sleep = undefined;
  }

  function grant(caller: SimulatedCaller, model: SimulatedModel): void {
    expect(caller.outcome === 'waiting', 'granted a lease to a caller that is not waiting');
    expect(model.loaded && !model.stopping, 'granted a lease on a model that is not loaded');
    expect(model.key === caller.key && isEnough(model, caller), 'granted a lease on another model');
    expect(caller.id <= model.lastServed, 'granted a lease on a model after an unload request');
    Object.assign(caller, { outcome: 'granted', model });
    // Which of the times counts is a rule of its own, with its own tests.
    const { keepAlive } = state.models.find(({ id }) => id === model.id) ?? model;
    const asked = [model.keepAlive, limits.defaultKeepAliveMs, ...callers.map((one) => one.keepAlive)];
    expect(asked.includes(keepAlive), 'stays loaded for a time that nobody asked for');
    model.keepAlive = keepAlive;
  }

  const canExpire = (model: SimulatedModel): boolean =>
    (model.loaded || model.sleep === 'asleep') && !model.stopping && holding(model).length === 0;

  function checkInvariants(): void {
    const bytes = models.reduce((sum, model) => sum + model.bytes, 0);
    expect(takes !== estimateOf || bytes <= limits.memoryBudget, 'over the memory budget');
    const awake = models.filter(({ sleep }) => sleep !== 'asleep');
    expect(awake.length <= limits.maxLoaded, 'too many loaded models');
    const onDevices = addDevices(...awake.map(({ key }) => devicesOf(key)));
    for (const [name, budget] of limits.deviceBudgets ?? [])
      expect((onDevices.get(name) ?? 0) <= budget, `over the budget of ${name}`);
    for (const key of new Set(callers.map((caller) => caller.key))) {
      const queue = callers.filter(
        (caller) => caller.key === key && (caller.outcome === 'waiting' || caller.outcome === 'granted'),
      );
      const places = Math.max(1, limits.maxQueue);
      expect(queue.length <= places + limits.reservedPlaces, 'the queue is too long');
      const clients = new Set(queue.map(({ client }) => client));
      expect(queue.length <= Math.max(places, clients.size), 'a client without a first request was reserved a place');
    }
    models.filter(canExpire).forEach(checkExpiry);
  }

  function checkExpiry(model: SimulatedModel): void {
    const stays = model.loaded ? model.keepAlive : (sleepingOf(model.key)?.sleepMs ?? 0);
    const expiry = model.idleSince + stays;
    expect(
      expiry === Number.POSITIVE_INFINITY || (wakeAt ?? expiry + 1) <= expiry,
      'no tick is scheduled for its expiry',
    );
  }

  function remove(model: SimulatedModel): void {
    models.splice(models.indexOf(model), 1);
  }

  const simulation: Simulation = {
    get state() {
      return state;
    },
    get time() {
      return time;
    },
    models,
    callers,
    loads,
    request(key, fingerprint = '', keepAlive, client = '') {
      const id = callers.length + 1;
      const entry = { id, client, key, fingerprint, keepAlive, estimated: false };
      const caller: SimulatedCaller = { ...entry, model: undefined, outcome: 'waiting' };
      callers.push(caller);
      dispatch({
        type: 'request',
        id,
        client,
        key,
        name: key,
        fingerprint,
        needs: needsOf(fingerprint),
        ...(keepAlive === undefined ? {} : { keepAlive }),
      });
      return caller;
    },
    estimate(caller) {
      caller.estimated = true;
      dispatch({
        type: 'estimated',
        caller: caller.id,
        bytes: estimateOf(caller.key),
        devices: devicesOf(caller.key),
      });
    },
    leave(caller) {
      caller.outcome = 'left';
      dispatch({ type: 'leave', caller: caller.id });
    },
    begin(caller) {
      caller.outcome = 'begun';
      dispatch({ type: 'begin', caller: caller.id });
    },
    release(caller) {
      caller.outcome = 'released';
      if (caller.model) caller.model.idleSince = time;
      dispatch({ type: 'release', caller: caller.id });
    },
    finishLoad(model) {
      Object.assign(model, { loaded: true, hasLoaded: true, idleSince: time, bytes: takes(model.key) });
      const figures = { bytes: model.bytes, devices: devicesOf(model.key) };
      dispatch({ type: 'loaded', model: model.id, ...figures, sleeping: sleepingOf(model.key) });
    },
    finishSleep(model) {
      Object.assign(model, { sleep: 'asleep', idleSince: time });
      dispatch({ type: 'slept', model: model.id, bytes: model.bytes });
    },
    failSleep(model) {
      hasFailed = true;
      dispatch({ type: 'sleep-failed', model: model.id });
      hasFailed = false;
    },
    failLoad(model, error) {
      remove(model);
      dispatch({ type: 'load-failed', model: model.id, error });
    },
    exit(model) {
      for (const caller of holding(model)) caller.outcome = 'lost';
      remove(model);
      dispatch({ type: 'exited', model: model.id });
    },
    unload(key, client) {
      for (const model of models) if (model.key === key) model.lastServed = Math.min(model.lastServed, callers.length);
      dispatch({ type: 'unload', key, client });
    },
    pass(milliseconds) {
      const end = time + milliseconds;
      while (wakeAt !== undefined && wakeAt <= end) {
        // A timer may fire a little early, once.
        time = Math.max(wakeAt - time > 1 ? wakeAt - 0.5 : wakeAt, time);
        wakeAt = undefined;
        dispatch({ type: 'tick' });
      }
      time = end;
    },
    close() {
      if (phase === 'open') phase = 'closing';
      dispatch({ type: 'close' });
    },
    deadline() {
      phase = 'over';
      dispatch({ type: 'deadline' });
    },
    finishAll() {
      const callersWith = (...outcomes: SimulatedCaller['outcome'][]): SimulatedCaller[] =>
        callers.filter(({ outcome }) => outcomes.includes(outcome));
      callersWith('waiting')
        .filter(({ estimated }) => !estimated)
        .forEach(simulation.estimate);
      for (const model of [...models]) {
        if (model.stopping) simulation.exit(model);
        else if (model.sleep === 'beginning') simulation.finishSleep(model);
        else if (!model.loaded && model.sleep === undefined) simulation.finishLoad(model);
      }
      callersWith('granted').forEach(simulation.begin);
      callersWith('begun', 'evicted').forEach(simulation.release);
    },
  };
  return simulation;
}

/** A fingerprint such as `f16 4096` has a context; any other is a kind of its own. */
function needsOf(fingerprint: string): LoadNeeds {
  const [, kind, context] = /^(\w+) (\d+)$/.exec(fingerprint) ?? [];
  return { kind: kind ?? fingerprint, context: Number(context ?? 0) };
}

function isEnough(model: SimulatedModel, caller: SimulatedCaller): boolean {
  const [has, needs] = [needsOf(model.fingerprint), needsOf(caller.fingerprint)];
  return has.kind === needs.kind && has.context >= needs.context;
}

/** States share callers: a change in place would throw. */
function freeze(state: ResidencyState): ResidencyState {
  for (const entry of [...state.models, ...state.callers]) Object.freeze(entry);
  Object.freeze(state.models);
  Object.freeze(state.callers);
  return Object.freeze(state);
}
