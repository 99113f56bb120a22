// Gives models to callers that have none. A loaded model is granted at once. Clients take turns with loads, and callers
// of one client are served in order of arrival. Room that one caller waits for is not given to later ones. Only idle
// models are stopped to make room; a model in use can only be closed to new callers.

import { addDevices, type DeviceBytes, noDeviceBytes } from '../planning/device-bytes.ts';
import { isEnough, recordReload, reloadTime } from './reload-hold.ts';
import {
  assignModel,
  isFree,
  type ModelDraft,
  type ResidencyDraft,
  reject,
  startLoad,
  stop,
} from './residency-draft.ts';
import { crashError, tooLargeError } from './residency-errors.ts';
import {
  type CallerState,
  isOpen,
  type MemoryFigures,
  type ModelState,
  type ResidencyLimits,
  type Rotation,
  serves,
  servesOthers,
  updateRotation,
} from './residency-state.ts';
import { canSleep, isAsleep, putToSleep, wakeUp } from './sleeping.ts';

/** Memory and places for models: what is free now, and what becomes free when stopping models have exited. */
interface Room {
  free: Amount;
  coming: Amount;
  /** Models that were closed to new callers before this event. They are preferred if any has to be closed. */
  readonly closedBefore: ReadonlySet<number>;
}

export function grantLeases(draft: ResidencyDraft): void {
  const closedBefore = new Set(draft.models.filter(({ claimed }) => claimed).map(({ id }) => id));
  for (const model of draft.models) model.claimed = false;
  const room = measureRoom(draft, closedBefore);
  const keys = new Set<string>();
  const waiting = draft.callers.filter(({ model }) => model === undefined);
  draft.rotation = updateRotation(
    draft.rotation,
    waiting.map(({ client }) => client),
  );
  for (const caller of lineUp(waiting, draft.rotation)) grantLease(draft, caller, room, keys);
}

/** The first caller of each client in the order of the rotation, then the second of each, and so on. */
function lineUp(callers: readonly CallerState[], rotation: Rotation): CallerState[] {
  const places = new Map(rotation.map((client, place) => [client, place]));
  const counts = new Map<string, number>();
  const ranked = callers.map((caller) => {
    const round = counts.get(caller.client) ?? 0;
    counts.set(caller.client, round + 1);
    return { caller, rank: round * rotation.length + (places.get(caller.client) ?? 0) };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ caller }) => caller);
}

/** `keys`: models that earlier callers need to be loaded or reloaded. */
function grantLease(draft: ResidencyDraft, caller: CallerState, room: Room, keys: Set<string>): void {
  const present = draft.models.find(({ key }) => key === caller.key);
  if (present && (serves(present, caller) || canShare(draft, present, caller))) {
    if (present.sleep === undefined) assignModel(draft, caller, present);
    else wakeFor(draft, caller, present, room, keys);
  } else loadFor(draft, caller, present, room, keys);
}

function loadFor(
  draft: ResidencyDraft,
  caller: CallerState,
  present: ModelDraft | undefined,
  room: Room,
  keys: Set<string>,
): void {
  const { bytes } = caller;
  if (bytes === undefined) return;
  const needed = neededBy({ bytes, devices: caller.devices ?? noDeviceBytes }, draft.limits);
  const refusal = crashError(draft, caller) ?? tooLargeError(draft.limits, bytes);
  if (refusal) {
    reject(draft, caller, refusal);
    return;
  }
  if (keys.has(caller.key) || (present && mustStay(draft, present, caller, room))) return;
  keys.add(caller.key);
  if (present) {
    if (!room.closedBefore.has(present.id)) recordReload(draft, present, caller);
    claim(draft, present, room);
  } else if (fits(room.free, needed)) {
    startLoad(draft, caller, bytes);
    room.free = subtract(room.free, needed);
    return;
  } else makeRoom(draft, caller, needed, room);
  reserve(room, needed);
}

function wakeFor(draft: ResidencyDraft, caller: CallerState, model: ModelDraft, room: Room, keys: Set<string>): void {
  // One that is about to sleep can be woken when it sleeps.
  if (!isAsleep(model)) return;
  const needed = neededBy({ bytes: 0, devices: model.awakeDevices ?? noDeviceBytes }, draft.limits);
  if (fits({ ...room.free, bytes: 0 }, needed)) {
    wakeUp(draft, model);
    room.free = subtract(room.free, needed);
    assignModel(draft, caller, model);
    return;
  }
  if (keys.has(caller.key)) return;
  keys.add(caller.key);
  makeRoom(draft, caller, needed, room);
  reserve(room, needed);
}

/** A client does not take a model from others for options that its request can do without. */
function canShare(draft: ResidencyDraft, model: ModelDraft, caller: CallerState): boolean {
  return isOpen(model) && isEnough(model, caller) && servesOthers(draft, model, caller.client);
}

/** Whether the reload has to wait. One that was decided before does not. */
function mustStay(draft: ResidencyDraft, model: ModelDraft, caller: CallerState, { closedBefore }: Room): boolean {
  return isOpen(model) && !closedBefore.has(model.id) && reloadTime(draft, model, caller) > draft.at;
}

function measureRoom({ models, limits }: ResidencyDraft, closedBefore: ReadonlySet<number>): Room {
  const budget: Amount = {
    bytes: limits.memoryBudget,
    places: limits.maxLoaded,
    devices: limits.deviceBudgets ?? noDeviceBytes,
  };
  const exiting = models.filter(({ stopping }) => stopping);
  const fallingAsleep = models.filter(({ stopping, sleep }) => !stopping && sleep === 'beginning');
  const coming = add(takenBy(exiting), { ...takenBy(fallingAsleep), bytes: 0 });
  return { free: subtract(budget, takenBy(models)), coming, closedBefore };
}

/** Closes a model to new callers. It stops now, or when its last caller has released it. */
function claim(draft: ResidencyDraft, model: ModelDraft, room: Room): void {
  model.claimed = true;
  if (model.stopping) return;
  room.coming = add(room.coming, takenBy([model]));
  if (isFree(draft, model)) stop(draft, model);
}

/** Reserves what a caller will need, first of what is coming, so that later callers can use what is free now. */
function reserve(room: Room, needed: Amount): void {
  const fromComing = smaller(room.coming, needed);
  room.coming = subtract(room.coming, fromComing);
  room.free = subtract(room.free, subtract(needed, fromComing));
}

/** Memory of GPUs is free as soon as a model sleeps. Main memory is free only when a model has ended. */
function clear(draft: ResidencyDraft, model: ModelDraft, room: Room, needsBytes: boolean): void {
  if (needsBytes || !isFree(draft, model) || !canSleep(draft, model)) {
    claim(draft, model, room);
    return;
  }
  room.coming = add(room.coming, { ...takenBy([model]), bytes: 0 });
  putToSleep(draft, model);
}

function makeRoom(draft: ResidencyDraft, caller: CallerState, needed: Amount, room: Room): void {
  const needsBytes = room.free.bytes + room.coming.bytes < needed.bytes;
  const staying = draft.models.filter((model) => canLeave(model) && model.key !== caller.key).sort(byUse);
  const idle = staying.filter((model) => isFree(draft, model));
  const victims = choose(idle, needed, room);
  if (victims) {
    for (const victim of victims) clear(draft, victim, room, needsBytes);
    return;
  }
  if (draft.at < caller.since + draft.limits.patience) return;
  const closed = staying.filter(({ id }) => room.closedBefore.has(id));
  const all = new Set([...closed, ...idle, ...staying]);
  for (const victim of choose([...all], needed, room) ?? []) claim(draft, victim, room);
}

function canLeave({ stopping, claimed, sleep }: ModelDraft): boolean {
  return !stopping && !claimed && sleep !== 'beginning';
}

/** A minimal set of candidates that makes enough room, preferring the first; undefined if there is none. Models that take
 * nothing of what is missing, such as models in main memory for a load on a GPU, are not in it. */
function choose(candidates: readonly ModelDraft[], needed: Amount, { free, coming }: Room): ModelDraft[] | undefined {
  const later = add(free, coming);
  const enough = (some: readonly ModelDraft[]): boolean => fits(add(later, takenBy(some)), needed);
  const count = candidates.findIndex((_, index) => enough(candidates.slice(0, index)));
  const first = count === -1 ? candidates : candidates.slice(0, count);
  if (!enough(first)) return undefined;
  return first.reduceRight<ModelDraft[]>(
    (chosen, model) => {
      const without = chosen.filter((other) => other !== model);
      return enough(without) ? without : chosen;
    },
    [...first],
  );
}

/** Least recently used first, then shortest keep_alive. */
export function byUse(a: ModelDraft, b: ModelDraft): number {
  if (a.lastUsed !== b.lastUsed) return a.lastUsed - b.lastUsed;
  return a.keepAlive === b.keepAlive ? a.id - b.id : a.keepAlive < b.keepAlive ? -1 : 1;
}

// Amounts of what models take: main memory, memory of GPUs, and places in the list of loaded models.
interface Amount {
  readonly bytes: number;
  readonly places: number;
  readonly devices: DeviceBytes;
}

function takenBy(models: readonly Pick<ModelState, 'bytes' | 'devices' | 'sleep'>[]): Amount {
  return {
    bytes: models.reduce((sum, { bytes }) => sum + bytes, 0),
    places: models.filter((model) => !isAsleep(model)).length,
    devices: addDevices(...models.map(({ devices }) => devices)),
  };
}

/** What a load needs. GPUs without a budget do not count, and no load needs more than all of a GPU: a load that was told to
 * use more must be tried, not wait forever. */
export function neededBy({ bytes, devices }: Required<MemoryFigures>, { deviceBudgets }: ResidencyLimits): Amount {
  const limited = [...devices].flatMap(([name, needed]) => {
    const budget = deviceBudgets?.get(name);
    return budget === undefined ? [] : [[name, Math.min(needed, Math.max(budget, 0))] as const];
  });
  return { bytes, places: 1, devices: new Map(limited) };
}

function add(a: Amount, b: Amount): Amount {
  return { bytes: a.bytes + b.bytes, places: a.places + b.places, devices: addDevices(a.devices, b.devices) };
}

function subtract(a: Amount, b: Amount): Amount {
  const negative = new Map([...b.devices].map(([name, bytes]) => [name, -bytes]));
  return { bytes: a.bytes - b.bytes, places: a.places - b.places, devices: addDevices(a.devices, negative) };
}

function smaller(a: Amount, b: Amount): Amount {
  return {
    bytes: Math.min(a.bytes, b.bytes),
    places: Math.min(a.places, b.places),
    devices: new Map([...b.devices].map(([name, bytes]) => [name, Math.min(a.devices.get(name) ?? 0, bytes)])),
  };
}

function fits(room: Amount, needed: Amount): boolean {
  const onDevices = [...needed.devices].every(([name, bytes]) => (room.devices.get(name) ?? 0) >= bytes);
  return room.bytes >= needed.bytes && room.places >= needed.places && onDevices;
}
