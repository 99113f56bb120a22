// Decides which models are in memory, as a pure function: a state and an event give the next state and a list of
// actions. residency.ts executes the actions. A model goes absent → loading → idle ⇄ busy → draining → absent. A
// running request is never aborted to free memory.

import { noDeviceBytes } from '../planning/device-bytes.ts';
import { byUse, grantLeases } from './grant-leases.ts';
import { makeQueueRoom } from './queue-limit.ts';
import { reloadTime } from './reload-hold.ts';
import {
  assignModel,
  beginDraft,
  changeCaller,
  endDraft,
  isFree,
  type ModelDraft,
  type ResidencyDraft,
  recordUse,
  reject,
  removeCaller,
  stop,
} from './residency-draft.ts';
import { busyError, clearCrash, closingError, recordCrash } from './residency-errors.ts';
import {
  type CallerState,
  type MemoryFigures,
  type ResidencyAction,
  type ResidencyEvent,
  type ResidencyLimits,
  type ResidencyState,
  servesOthers,
  waitingIn,
} from './residency-state.ts';
import { canSleep, isAsleep, putToSleep } from './sleeping.ts';

interface Transition {
  readonly state: ResidencyState;
  readonly actions: readonly ResidencyAction[];
}

/** Events about unknown models or callers are ignored. */
export function advanceResidency(state: ResidencyState, event: ResidencyEvent, limits: ResidencyLimits): Transition {
  const draft = beginDraft(state, limits, event.at);
  apply(draft, event);
  // The caller had its model before, so nothing changes for the others.
  if (event.type === 'begin') return endDraft(draft);
  grantLeases(draft);
  stopUnneeded(draft);
  enforceBudget(draft);
  scheduleTick(draft);
  return endDraft(draft);
}

type EventOf<Type extends ResidencyEvent['type']> = Extract<ResidencyEvent, { type: Type }>;

function apply(draft: ResidencyDraft, event: ResidencyEvent): void {
  switch (event.type) {
    case 'request':
      enter(draft, event);
      break;
    case 'estimated':
    case 'leave':
    case 'begin':
    case 'release':
      applyToCaller(draft, event);
      break;
    case 'loaded':
    case 'slept':
    case 'sleep-failed':
    case 'measured':
    case 'load-failed':
    case 'exited':
      applyToModel(draft, event);
      break;
    case 'unload':
      retire(draft, event);
      break;
    case 'learned':
      learn(draft, event);
      break;
    case 'tick':
      // A timer may fire a little early; clearing this schedules another tick.
      delete draft.wakeAt;
      break;
    case 'close':
    case 'deadline':
      close(draft, event.type === 'deadline');
  }
}

function enter(draft: ResidencyDraft, { type: _, at, ...request }: EventOf<'request'>): void {
  const caller: CallerState = { ...request, since: at, granted: false, begun: false };
  if (draft.closing) reject(draft, caller, closingError());
  else if (request.readmitted || makeQueueRoom(draft, caller)) draft.callers.push(caller);
  else reject(draft, caller, busyError(draft, caller.key));
}

function applyToCaller(draft: ResidencyDraft, event: EventOf<'estimated' | 'leave' | 'begin' | 'release'>): void {
  const caller = draft.callers.find(({ id }) => id === event.caller);
  if (caller === undefined) return;
  if (event.type === 'estimated') changeCaller(draft, caller, figuresOf(event));
  else if (event.type === 'begin') begin(draft, caller);
  // A granted lease ends with `release` only, a wait with `leave` only.
  else if (caller.granted === (event.type === 'release')) {
    removeCaller(draft, caller.id);
    const model = draft.models.find(({ id }) => id === caller.model);
    if (model === undefined) return;
    model.lastUsed = draft.at;
    if (caller.granted) recordUse(model, caller.client, draft.at);
  }
}

function begin(draft: ResidencyDraft, caller: CallerState): void {
  changeCaller(draft, caller, { begun: caller.granted && !caller.evicted });
  const model = draft.models.find(({ id }) => id === caller.model);
  if (model) measurePace(draft, model);
}

/** How long it takes until the next request begins, while some wait: the mean of about the last eight. */
function measurePace({ callers, at }: ResidencyDraft, model: ModelDraft): void {
  const isFull = waitingIn({ callers }).some(({ key }) => key === model.key);
  const { paceMs, begunAt } = model;
  model.begunAt = isFull ? at : undefined;
  if (begunAt === undefined) return;
  const lastMs = at - begunAt;
  model.paceMs = paceMs === undefined ? lastMs : paceMs + (lastMs - paceMs) / 8;
}

type ModelEvent = EventOf<'loaded' | 'slept' | 'sleep-failed' | 'measured' | 'load-failed' | 'exited'>;

function applyToModel(draft: ResidencyDraft, event: ModelEvent): void {
  const model = draft.models.find(({ id }) => id === event.model);
  if (model === undefined) return;
  const holders = draft.callers.filter((caller) => caller.model === model.id);
  switch (event.type) {
    case 'loaded':
      Object.assign(model, { ...figuresOf(event), loaded: true, slots: event.slots ?? 0 });
      Object.assign(model, { loadedAt: draft.at, lastUsed: draft.at, sleeping: event.sleeping });
      draft.crashes = clearCrash(draft.crashes, model);
      for (const caller of holders) assignModel(draft, caller, model);
      return;
    case 'slept':
      Object.assign(model, { ...figuresOf(event), sleep: 'asleep' });
      return;
    case 'sleep-failed':
      // Whether it could answer is unknown.
      stop(draft, model);
      return;
    case 'measured':
      Object.assign(model, figuresOf(event));
      return;
    case 'load-failed':
      draft.models = draft.models.filter((other) => other !== model);
      if (event.error.code === 'runner_died') draft.crashes = recordCrash(draft.crashes, model, event.error, draft.at);
      for (const caller of holders) reject(draft, caller, event.error);
      return;
    case 'exited':
      draft.models = draft.models.filter((other) => other !== model);
      // The requests fail through the runner; no lease is left to release.
      draft.callers = draft.callers.filter((caller) => caller.model !== model.id || !caller.granted);
      // The process may end while the model wakes up: those that wait get another one.
      for (const caller of holders) changeCaller(draft, caller, { model: undefined });
  }
}

function figuresOf({ bytes, devices = noDeviceBytes }: MemoryFigures): Required<MemoryFigures> {
  return { bytes, devices };
}

function retire(draft: ResidencyDraft, { key, client }: EventOf<'unload'>): void {
  for (const model of draft.models)
    if (model.key === key && (client === undefined || !servesOthers(draft, model, client))) model.retired = true;
}

function learn(draft: ResidencyDraft, { models, callers }: EventOf<'learned'>): void {
  for (const model of draft.models) model.fingerprint = models.get(model.id) ?? model.fingerprint;
  draft.callers = draft.callers.map((caller) => ({
    ...caller,
    fingerprint: callers.get(caller.id) ?? caller.fingerprint,
  }));
}

function close(draft: ResidencyDraft, now: boolean): void {
  draft.closing = true;
  for (const caller of [...draft.callers]) if (!caller.granted) reject(draft, caller, closingError());
  if (now) for (const model of draft.models) stop(draft, model);
}

/** Ends idle models that have expired, or puts them to sleep. */
function stopUnneeded(draft: ResidencyDraft): void {
  for (const model of draft.models) {
    if (model.stopping) continue;
    if (!isFree(draft, model)) delete model.until;
    else if (draft.closing || model.retired) stop(draft, model);
    else if (hasExpired(draft, model)) leave(draft, model);
  }
}

/** Sets the expiry of a model that has become idle or has fallen asleep. */
function hasExpired({ at }: ResidencyDraft, model: ModelDraft): boolean {
  const { keepAlive, loaded, sleeping } = model;
  if (loaded) model.until ??= at + keepAlive;
  if (isAsleep(model)) model.until ??= at + (sleeping?.sleepMs ?? 0);
  // A load without callers continues: clients that disconnect often retry.
  return keepAlive <= 0 || (model.until ?? Number.POSITIVE_INFINITY) <= at;
}

function leave(draft: ResidencyDraft, model: ModelDraft): void {
  if (model.keepAlive > 0 && canSleep(draft, model)) putToSleep(draft, model);
  else stop(draft, model);
}

/** A model may take more memory than estimated. The last model stays: stopping it would only lead to another load. */
function enforceBudget(draft: ResidencyDraft): void {
  const staying = draft.models.filter(({ stopping }) => !stopping);
  let bytes = staying.reduce((sum, model) => sum + model.bytes, 0);
  const idle = staying.filter((model) => (model.loaded || isAsleep(model)) && isFree(draft, model)).sort(byUse);
  for (const model of idle.slice(0, staying.length - 1)) {
    if (bytes <= draft.limits.memoryBudget) return;
    bytes -= model.bytes;
    stop(draft, model);
  }
}

/** When models may be reloaded for callers that wait for that. */
function nextReloads(draft: ResidencyDraft): number[] {
  const { models, callers, at } = draft;
  return callers.flatMap((caller) => {
    if (caller.model !== undefined) return [];
    const model = models.find(({ key, stopping, claimed }) => key === caller.key && !stopping && !claimed);
    const time = model && reloadTime(draft, model, caller);
    return time !== undefined && time > at ? [time] : [];
  });
}

function scheduleTick(draft: ResidencyDraft): void {
  const { models, callers, limits, at } = draft;
  const nextOverdue = callers.find(({ model, since }) => model === undefined && since + limits.patience > at);
  const next = Math.min(
    ...nextReloads(draft),
    ...models.map(({ until = Number.POSITIVE_INFINITY }) => until),
    nextOverdue === undefined ? Number.POSITIVE_INFINITY : nextOverdue.since + limits.patience,
  );
  const wakeAt = Number.isFinite(next) ? next : undefined;
  if (wakeAt === draft.wakeAt) return;
  delete draft.wakeAt;
  if (wakeAt !== undefined) draft.wakeAt = wakeAt;
  draft.actions.push({ type: 'wake', at: wakeAt });
}
