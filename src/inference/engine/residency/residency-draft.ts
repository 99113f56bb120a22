// A mutable copy of the residency state for one transition, and the basic changes to it, each with its action.

import type { HearthError } from '../../../base/errors.ts';
import { noDeviceBytes } from '../planning/device-bytes.ts';
import {
  afterTurn,
  type CallerState,
  type CrashState,
  countHolders,
  type ModelState,
  type ResidencyAction,
  type ResidencyLimits,
  type ResidencyState,
  type Rotation,
  servesOthers,
} from './residency-state.ts';

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
export type ModelDraft = Writable<ModelState>;

export interface ResidencyDraft {
  models: ModelDraft[];
  /** Shared with the state before: many may wait, and an event changes few. See `changeCaller`. */
  callers: CallerState[];
  crashes: CrashState[];
  reloads: ResidencyState['reloads'];
  rotation: Rotation;
  closing: boolean;
  nextModel: number;
  wakeAt?: number;
  readonly at: number;
  readonly limits: ResidencyLimits;
  readonly actions: ResidencyAction[];
}

export function beginDraft(state: ResidencyState, limits: ResidencyLimits, at: number): ResidencyDraft {
  return {
    ...state,
    models: state.models.map((model) => ({ ...model })),
    callers: [...state.callers],
    crashes: [...state.crashes],
    at,
    limits,
    actions: [],
  };
}

export function endDraft({ at: _, limits: __, actions, ...state }: ResidencyDraft): {
  readonly state: ResidencyState;
  readonly actions: readonly ResidencyAction[];
} {
  return { state, actions };
}

export function isFree(draft: ResidencyDraft, { id }: ModelState): boolean {
  return countHolders(draft, id) === 0;
}

/** Replaces the caller by a changed copy. */
export function changeCaller({ callers }: ResidencyDraft, caller: CallerState, changes: Partial<CallerState>): void {
  const place = callers.indexOf(caller);
  if (place !== -1) callers[place] = { ...caller, ...changes };
}

/** Gives the caller its lease, or makes it wait for the model's load. */
export function assignModel(draft: ResidencyDraft, caller: CallerState, model: ModelDraft): void {
  changeCaller(draft, caller, { model: model.id, granted: model.loaded });
  recordName(model, caller.name);
  if (!model.loaded) return;
  model.keepAlive = keepAliveFor(draft, model, caller);
  model.lastUsed = draft.at;
  recordUse(model, caller.client, draft.at);
  draft.actions.push({ type: 'grant', caller: caller.id, model: model.id });
}

/** Clients that share a model cannot shorten the time that it stays for each other. */
function keepAliveFor(draft: ResidencyDraft, model: ModelDraft, { keepAlive, client }: CallerState): number {
  if (!servesOthers(draft, model, client)) return keepAlive ?? model.keepAlive;
  return Math.max(model.keepAlive, keepAlive ?? draft.limits.defaultKeepAliveMs);
}

const maxOtherNames = 100;

function recordName(model: ModelDraft, name: string): void {
  const { otherNames = [] } = model;
  if (name === model.name || otherNames.includes(name)) return;
  model.otherNames = [...otherNames, name].slice(-maxOtherNames);
}

/** The last two clients are enough to know whether there is another one than any client. */
export function recordUse(model: ModelDraft, client: string, at: number): void {
  const [last] = model.users.filter((use) => use.client !== client);
  model.users = last === undefined ? [{ client, at }] : [{ client, at }, last];
}

export function startLoad(draft: ResidencyDraft, caller: CallerState, bytes: number): void {
  const { key, name, client, fingerprint, needs, devices = noDeviceBytes } = caller;
  const { keepAlive = draft.limits.defaultKeepAliveMs } = caller;
  const id = draft.nextModel++;
  const flags = { loaded: false, retired: false, claimed: false, stopping: false };
  const identity = { id, key, name, client, fingerprint, needs };
  const model: ModelDraft = { ...identity, users: [], keepAlive, bytes, devices, ...flags, lastUsed: draft.at };
  draft.models.push(model);
  draft.rotation = afterTurn(draft.rotation, caller.client);
  draft.actions.push({ type: 'load', model: id, caller: caller.id });
  assignModel(draft, caller, model);
}

export function stop({ actions }: ResidencyDraft, model: ModelDraft): void {
  if (model.stopping) return;
  model.stopping = true;
  delete model.until;
  actions.push({ type: 'stop', model: model.id });
}

export function removeCaller(draft: ResidencyDraft, id: number): void {
  draft.callers = draft.callers.filter((caller) => caller.id !== id);
}

export function reject(draft: ResidencyDraft, { id }: CallerState, error: HearthError): void {
  removeCaller(draft, id);
  draft.actions.push({ type: 'reject', caller: id, error });
}

/** Takes the caller's place in the queue. A lease that it has stays until its release. */
export function evict(draft: ResidencyDraft, caller: CallerState, error: HearthError): void {
  if (!caller.granted) {
    reject(draft, caller, error);
    return;
  }
  changeCaller(draft, caller, { evicted: true });
  draft.actions.push({ type: 'evict', caller: caller.id, error });
}
