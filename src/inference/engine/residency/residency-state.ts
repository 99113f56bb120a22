// The state of the residency machine as plain data: models that take memory, callers in order of arrival, recent
// crashes of loads. Also its events and actions.

import type { HearthError } from '../../../base/errors.ts';
import type { DeviceBytes } from '../planning/device-bytes.ts';
import type { SleepFigures } from '../process/model-process.ts';

export interface ResidencyLimits {
  readonly maxLoaded: number;
  /** Bytes of main memory for all models in total. */
  readonly memoryBudget: number;
  /** Bytes of each GPU for all models in total. Other GPUs have no limit. */
  readonly deviceBudgets?: DeviceBytes;
  readonly maxQueue: number;
  /** Places in each queue beyond that for clients that have no waiting request. */
  readonly reservedPlaces: number;
  /** For requests without a keep_alive. */
  readonly defaultKeepAliveMs: number;
  /** Milliseconds that a caller waits for busy models to become idle. After that they accept no new leases. */
  readonly patience: number;
  /** Milliseconds that a model which serves other clients is not reloaded for a client. */
  readonly reloadHoldMs: number;
}

/** What a request needs of a loaded model, whatever else it asked for: a longer context is as good. */
export interface LoadNeeds {
  /** The options that change what the model computes. */
  readonly kind: string;
  readonly context: number;
}

interface ModelUse {
  readonly client: string;
  readonly at: number;
}

/** A model from the decision to load it until its runner has ended. At most one per key. */
export interface ModelState {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  /** Other models with the same files that were used since. */
  readonly otherNames?: readonly string[];
  /** Identifies the effective load options; another fingerprint requires another load. */
  readonly fingerprint: string;
  readonly needs?: LoadNeeds;
  /** The client that it was loaded for. */
  readonly client: string;
  /** The last uses of up to two clients, the latest first. */
  readonly users: readonly ModelUse[];
  readonly keepAlive: number;
  /** Main memory; estimated until it is measured. */
  readonly bytes: number;
  /** The same on GPUs. */
  readonly devices: DeviceBytes;
  /** False while it loads, sleeps or wakes up. */
  readonly loaded: boolean;
  readonly loadedAt?: number;
  /** Absent: it cannot sleep. */
  readonly sleeping?: SleepFigures;
  /** `beginning`: its GPUs still have it. */
  readonly sleep?: 'beginning' | 'asleep';
  /** What it takes of GPUs when it is awake. */
  readonly awakeDevices?: DeviceBytes;
  /** How many requests its runner processes in parallel; known when it is loaded. */
  readonly slots?: number;
  /** An unload was requested. */
  readonly retired: boolean;
  /** A caller needs its memory, or its weights with other options. Computed after every event. */
  readonly claimed: boolean;
  /** The runner was told to exit; it keeps its memory until it has. */
  readonly stopping: boolean;
  readonly lastUsed: number;
  /** Milliseconds between the beginnings of two requests while others wait; absent until it is measured. */
  readonly paceMs?: number;
  /** When the last request began that left others waiting. */
  readonly begunAt?: number;
  /** When it expires; absent while a caller holds it. */
  readonly until?: number;
}

/** A request, from its arrival to the end of its lease. */
export interface CallerState {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  /** The same for all requests of one client. */
  readonly client: string;
  /** The id that the client knows the request by. */
  readonly requestId?: string;
  readonly background?: true;
  /** The caller was admitted before and lost its runner. The queue limit does not apply. */
  readonly readmitted?: boolean;
  readonly fingerprint: string;
  readonly needs?: LoadNeeds;
  /** Estimated bytes of main memory of a load for it; absent until the estimate is done. */
  readonly bytes?: number;
  /** The same on GPUs. */
  readonly devices?: DeviceBytes;
  readonly keepAlive?: number;
  readonly since: number;
  /** The model that it holds, or waits to be loaded; absent while there is none for it. */
  readonly model?: number;
  /** The caller has its lease. */
  readonly granted: boolean;
  /** The runner has started it; until then it counts as waiting. */
  readonly begun: boolean;
  /** The caller has lost its place in the queue, and will release its lease. */
  readonly evicted?: boolean;
}

/** Loads in which the runner died. */
export interface CrashState {
  readonly key: string;
  readonly fingerprint: string;
  readonly count: number;
  readonly until: number;
  readonly error: HearthError;
}

export interface ResidencyState {
  readonly models: readonly ModelState[];
  readonly callers: readonly CallerState[];
  readonly crashes: readonly CrashState[];
  /** Reloads of models that served other clients. */
  readonly reloads: readonly (ModelUse & { readonly key: string })[];
  /** Clients that wait for a model. They take turns with loads. */
  readonly rotation: Rotation;
  readonly closing: boolean;
  readonly nextModel: number;
  /** When the machine needs a tick. */
  readonly wakeAt?: number;
}

/** Bytes of main memory, and of GPUs. */
export interface MemoryFigures {
  readonly bytes: number;
  /** Absent: none. */
  readonly devices?: DeviceBytes;
}

/** `at` is a reading of a monotonic clock in milliseconds. */
export type ResidencyEvent = { readonly at: number } & (
  | ({ readonly type: 'request' } & Pick<
      CallerState,
      | 'id'
      | 'key'
      | 'name'
      | 'client'
      | 'background'
      | 'requestId'
      | 'readmitted'
      | 'fingerprint'
      | 'needs'
      | 'keepAlive'
    >)
  | ({ readonly type: 'estimated'; readonly caller: number } & MemoryFigures)
  /** The caller disconnected before it had its lease. */
  | { readonly type: 'leave'; readonly caller: number }
  | { readonly type: 'begin'; readonly caller: number }
  | { readonly type: 'release'; readonly caller: number }
  /** The model is loaded, or has woken up. */
  | ({
      readonly type: 'loaded';
      readonly model: number;
      readonly slots?: number;
      readonly sleeping?: SleepFigures | undefined;
    } & MemoryFigures)
  | ({ readonly type: 'slept'; readonly model: number } & MemoryFigures)
  /** The model did not go to sleep, or did not wake up. */
  | { readonly type: 'sleep-failed'; readonly model: number }
  /** More is known about the machine, which changes the fingerprints of these models and callers, by id. */
  | {
      readonly type: 'learned';
      readonly models: ReadonlyMap<number, string>;
      readonly callers: ReadonlyMap<number, string>;
    }
  | ({ readonly type: 'measured'; readonly model: number } & MemoryFigures)
  | { readonly type: 'load-failed'; readonly model: number; readonly error: HearthError }
  /** The model's runner has ended, requested or not. */
  | { readonly type: 'exited'; readonly model: number }
  /** Not of a model that serves others than `client`. Absent: in any case. */
  | { readonly type: 'unload'; readonly key: string; readonly client?: string }
  | { readonly type: 'tick' }
  | { readonly type: 'close' }
  /** The grace period of closing is over. */
  | { readonly type: 'deadline' }
);

export type ResidencyAction =
  | { readonly type: 'load'; readonly model: number; readonly caller: number }
  | { readonly type: 'stop'; readonly model: number }
  | { readonly type: 'sleep' | 'wake-up'; readonly model: number }
  | { readonly type: 'grant'; readonly caller: number; readonly model: number }
  | { readonly type: 'reject'; readonly caller: number; readonly error: HearthError }
  /** The caller has its lease, but must not begin. */
  | { readonly type: 'evict'; readonly caller: number; readonly error: HearthError }
  /** When to send a tick; absent: never. Replaces the previous value. */
  | { readonly type: 'wake'; readonly at?: number };

export const emptyResidency: ResidencyState = {
  models: [],
  callers: [],
  crashes: [],
  reloads: [],
  rotation: [],
  closing: false,
  nextModel: 1,
};

type ModelPhase = 'loading' | 'idle' | 'busy' | 'sleeping' | 'draining';

/** The number of callers that hold a model or wait for its load. */
export function countHolders({ callers }: Pick<ResidencyState, 'callers'>, id: number): number {
  return callers.reduce((sum, { model }) => sum + (model === id ? 1 : 0), 0);
}

export function phaseOf(state: ResidencyState, model: ModelState): ModelPhase {
  const { id, loaded, sleep } = model;
  if (!isOpen(model)) return 'draining';
  if (sleep !== undefined) return 'sleeping';
  if (!loaded) return 'loading';
  return countHolders(state, id) > 0 ? 'busy' : 'idle';
}

/** Callers that wait for a model, for its load, or for the runner to start them. */
export function waitingIn({ callers }: Pick<ResidencyState, 'callers'>): CallerState[] {
  return callers.filter(({ begun, evicted }) => !begun && !evicted);
}

/** Whether a model accepts callers. */
export function isOpen({ stopping, retired, claimed }: ModelState): boolean {
  return !(stopping || retired || claimed);
}

/** Whether a model was loaded with the options of this caller. */
export function serves(model: ModelState, { key, fingerprint }: Pick<CallerState, 'key' | 'fingerprint'>): boolean {
  return isOpen(model) && model.key === key && model.fingerprint === fingerprint;
}

/** Whether another client uses the model, or did a moment ago. */
export function servesOthers(
  { callers, at, limits }: Pick<ResidencyState, 'callers'> & { readonly at: number; readonly limits: ResidencyLimits },
  model: ModelState,
  client: string,
): boolean {
  const isOther = (use: { readonly client: string }): boolean => use.client !== client;
  if (model.users.some((use) => isOther(use) && use.at + limits.reloadHoldMs > at)) return true;
  return callers.some((caller) => caller.model === model.id && isOther(caller));
}

// Clients that take turns, first the one that is next. A client joins at the end when it begins to wait and goes to the
// end after its turn, so every other client goes at most once before it, also if new clients keep arriving.

export type Rotation = readonly string[];

/** The rotation of the clients that wait now. A client may occur several times in `waiting`. */
export function updateRotation(rotation: Rotation, waiting: Iterable<string>): Rotation {
  const present = new Set(waiting);
  const known = new Set(rotation);
  return [...rotation.filter((client) => present.has(client)), ...[...present].filter((client) => !known.has(client))];
}

export function afterTurn(rotation: Rotation, client: string): Rotation {
  return [...rotation.filter((other) => other !== client), client];
}

// Smaller changes of a prefix cache are not worth a message.
const stepBytes = 16 * 2 ** 20;

/**
 * The most bytes of each prefix cache, if `wantedBytes` is the most that any may have. The caches share the memory that
 * the models leave: they shrink when another model is loaded, and grow when one is unloaded.
 */
export function limitPrefixes(
  models: readonly Pick<ModelState, 'bytes' | 'loaded' | 'stopping'>[],
  memoryBudget: number,
  wantedBytes: number,
): number {
  const left = models.reduce((sum, { bytes }) => sum - bytes, memoryBudget);
  const caches = models.filter(({ loaded, stopping }) => loaded && !stopping).length;
  const share = Math.floor(Math.max(left, 0) / Math.max(caches, 1) / stepBytes) * stepBytes;
  return Math.min(wantedBytes, share);
}
