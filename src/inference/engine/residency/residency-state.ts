// What the residency machine knows, as plain data: the models that have memory, the callers in order of arrival, the
// loads that crashed lately; what can happen to it, and what it wants done.

import type { HearthError } from '../../../base/errors.ts';

export interface ResidencyLimits {
  readonly maxLoaded: number;
  /** Bytes of main memory for all models together. */
  readonly memoryBudget: number;
  readonly maxQueue: number;
  /** Milliseconds, for models whose requests name none. */
  readonly defaultKeepAlive: number;
  /** Milliseconds that a caller waits for others to become idle by themselves; then they take no new leases. */
  readonly patience: number;
}

/** A model from the decision to load it until its runner has ended. At most one for a key. */
export interface ModelState {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  /** Of the options it is loaded with; another fingerprint needs another load. */
  readonly fingerprint: string;
  readonly keepAlive: number;
  /** Estimated until it is measured. */
  readonly bytes: number;
  readonly loaded: boolean;
  /** How many requests its runner works on at once; known when it is loaded. */
  readonly slots?: number;
  /** Somebody asked for it to be unloaded. */
  readonly retired: boolean;
  /** A caller needs its room, or its weights with other options. Found out anew after every event. */
  readonly claimed: boolean;
  /** Its runner was told to go; it has its memory until that is done. */
  readonly stopping: boolean;
  readonly lastUsed: number;
  /** When it expires; absent while somebody holds it. */
  readonly until?: number;
}

/** A request, from its arrival to the end of its lease. */
export interface CallerState {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  /** What its client calls it. */
  readonly requestId?: string;
  /** It had waited its turn before, and lost its runner. */
  readonly again?: boolean;
  readonly fingerprint: string;
  /** What a load for it takes, as far as one can know; absent until that is worked out. */
  readonly bytes?: number;
  readonly keepAlive?: number;
  readonly since: number;
  /** The model that it holds, or will when that is loaded; absent while none can be had. */
  readonly model?: number;
  /** It has its lease. */
  readonly granted: boolean;
  /** The runner works on it; until then it counts as waiting. */
  readonly begun: boolean;
}

/** Loads that the runner did not survive. */
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
  readonly closing: boolean;
  readonly nextModel: number;
  /** When the machine wants to hear of the time. */
  readonly wakeAt?: number;
}

/** `at` is a reading of a monotonic clock in milliseconds. */
export type ResidencyEvent = { readonly at: number } & (
  | ({ readonly type: 'request' } & Pick<
      CallerState,
      'id' | 'key' | 'name' | 'requestId' | 'again' | 'fingerprint' | 'keepAlive'
    >)
  | { readonly type: 'estimated'; readonly caller: number; readonly bytes: number }
  /** The caller went away before it had its lease. */
  | { readonly type: 'leave'; readonly caller: number }
  | { readonly type: 'begin'; readonly caller: number }
  | { readonly type: 'release'; readonly caller: number }
  | { readonly type: 'loaded'; readonly model: number; readonly bytes: number; readonly slots?: number }
  | { readonly type: 'measured'; readonly model: number; readonly bytes: number }
  | { readonly type: 'load-failed'; readonly model: number; readonly error: HearthError }
  /** Its runner has ended, asked or not. */
  | { readonly type: 'gone'; readonly model: number }
  | { readonly type: 'unload'; readonly key: string }
  | { readonly type: 'tick' }
  | { readonly type: 'close' }
  /** The time that closing gives to running requests is over. */
  | { readonly type: 'deadline' }
);

export type ResidencyAction =
  | { readonly type: 'load'; readonly model: number; readonly caller: number }
  | { readonly type: 'stop'; readonly model: number }
  | { readonly type: 'grant'; readonly caller: number; readonly model: number }
  | { readonly type: 'reject'; readonly caller: number; readonly error: HearthError }
  /** Send a tick then; absent: not any more. Replaces the one before. */
  | { readonly type: 'wake'; readonly at?: number };

export const emptyResidency: ResidencyState = {
  models: [],
  callers: [],
  crashes: [],
  closing: false,
  nextModel: 1,
};

export type ModelPhase = 'loading' | 'idle' | 'busy' | 'draining';

/** Those who hold a model, or will when it is loaded. */
export function holdersOf({ callers }: Pick<ResidencyState, 'callers'>, id: number): number {
  return callers.reduce((sum, { model }) => sum + (model === id ? 1 : 0), 0);
}

export function phaseOf(state: ResidencyState, { id, loaded, retired, claimed, stopping }: ModelState): ModelPhase {
  if (stopping || retired || claimed) return 'draining';
  if (!loaded) return 'loading';
  return holdersOf(state, id) > 0 ? 'busy' : 'idle';
}

/** Those who wait: for a model, for its load, or for the runner to take them up. */
export function waitingIn({ callers }: Pick<ResidencyState, 'callers'>): CallerState[] {
  return callers.filter(({ begun }) => !begun);
}

/** Whether a request of this kind can have this model. */
export function serves(model: ModelState, { key, fingerprint }: Pick<CallerState, 'key' | 'fingerprint'>): boolean {
  const open = !(model.stopping || model.retired || model.claimed);
  return open && model.key === key && model.fingerprint === fingerprint;
}
