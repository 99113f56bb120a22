// Who of those without a model gets one now. They are looked at in order of arrival: a model that is there is taken at
// once; the right to load goes by order, and room that somebody waits for is not given to those who came later. Only
// models that nobody holds are sent away; one that is in use is at most closed to newcomers.

import {
  bind,
  type CallerDraft,
  isFree,
  type ModelDraft,
  type ResidencyDraft,
  reject,
  startLoad,
  stop,
} from './residency-draft.ts';
import { crashError, tooLargeError } from './residency-errors.ts';
import { serves } from './residency-state.ts';

/** Memory and places: what is free, and what will be when those have gone that are on their way. */
interface Room {
  free: { bytes: number; slots: number };
  coming: { bytes: number; slots: number };
  /** Models that were closed to newcomers before: if somebody has to be, then they again. */
  readonly before: ReadonlySet<number>;
}

export function grantLeases(draft: ResidencyDraft): void {
  const before = new Set(draft.models.filter(({ claimed }) => claimed).map(({ id }) => id));
  for (const model of draft.models) model.claimed = false;
  const room = measureRoom(draft, before);
  const keys = new Set<string>();
  for (const caller of [...draft.callers]) {
    if (caller.model === undefined) grantLease(draft, caller, room, keys);
  }
}

/** `keys`: of callers before this one who need a load, or another one. */
function grantLease(draft: ResidencyDraft, caller: CallerDraft, room: Room, keys: Set<string>): void {
  const present = draft.models.find(({ key }) => key === caller.key);
  if (present && serves(present, caller)) {
    bind(draft, caller, present);
    return;
  }
  const { bytes } = caller;
  if (bytes === undefined) return;
  const refusal = crashError(draft, caller) ?? tooLargeError(draft.limits, bytes);
  if (refusal) {
    reject(draft, caller, refusal);
    return;
  }
  if (keys.has(caller.key)) return;
  keys.add(caller.key);
  if (present) claim(draft, present, room);
  else if (fits(room.free, bytes)) {
    startLoad(draft, caller, bytes);
    room.free.bytes -= bytes;
    room.free.slots--;
    return;
  } else makeRoom(draft, caller, bytes, room);
  reserve(room, bytes);
}

function measureRoom({ models, limits }: ResidencyDraft, before: ReadonlySet<number>): Room {
  const bytesOf = (some: readonly ModelDraft[]): number => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const going = models.filter(({ stopping }) => stopping);
  return {
    free: { bytes: limits.memoryBudget - bytesOf(models), slots: limits.maxLoaded - models.length },
    coming: { bytes: bytesOf(going), slots: going.length },
    before,
  };
}

function fits({ bytes, slots }: Room['free'], needed: number): boolean {
  return bytes >= needed && slots >= 1;
}

/** It takes nobody new, and goes now or when the last of its callers has. */
function claim(draft: ResidencyDraft, model: ModelDraft, { coming }: Room): void {
  model.claimed = true;
  if (model.stopping) return;
  coming.bytes += model.bytes;
  coming.slots++;
  if (isFree(draft, model)) stop(draft, model);
}

/** Sets aside what a caller will need: of what is coming first, so that those behind it can have what is left. */
function reserve({ free, coming }: Room, needed: number): void {
  const bytes = Math.min(coming.bytes, needed);
  const slots = Math.min(coming.slots, 1);
  coming.bytes -= bytes;
  coming.slots -= slots;
  free.bytes -= needed - bytes;
  free.slots -= 1 - slots;
}

function makeRoom(draft: ResidencyDraft, caller: CallerDraft, needed: number, room: Room): void {
  const staying = draft.models.filter(({ stopping, claimed }) => !stopping && !claimed).sort(byUse);
  const idle = staying.filter((model) => isFree(draft, model));
  const victims = choose(idle, needed, room);
  if (victims) {
    for (const victim of victims) claim(draft, victim, room);
    return;
  }
  if (draft.at < caller.since + draft.limits.patience) return;
  const closed = staying.filter(({ id }) => room.before.has(id));
  const all = new Set([...closed, ...idle, ...staying]);
  for (const victim of choose([...all], needed, room) ?? []) claim(draft, victim, room);
}

/** As few of them as make enough room, the first ones first; undefined when all together do not. */
function choose(candidates: readonly ModelDraft[], needed: number, { free, coming }: Room): ModelDraft[] | undefined {
  const enough = (some: readonly ModelDraft[]): boolean => {
    const bytes = some.reduce((sum, model) => sum + model.bytes, free.bytes + coming.bytes);
    return fits({ bytes, slots: free.slots + coming.slots + some.length }, needed);
  };
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

/** Least recently used first, then the one with the shortest keep_alive. */
export function byUse(a: ModelDraft, b: ModelDraft): number {
  if (a.lastUsed !== b.lastUsed) return a.lastUsed - b.lastUsed;
  return a.keepAlive === b.keepAlive ? a.id - b.id : a.keepAlive < b.keepAlive ? -1 : 1;
}
