// Protects a model that serves other clients from one that asks for other load options. If what is loaded is enough for
// its request, it gets that. Otherwise the request waits for a minimum time after the load, which is longer for a client
// that has caused more such reloads than the client that the model was loaded for, and zero for one that has caused fewer.

import type { ResidencyDraft } from './residency-draft.ts';
import { type CallerState, type ModelState, type ResidencyState, servesOthers } from './residency-state.ts';

/** How many holds a reload counts for, and the most holds that a caller waits. */
const rememberedHolds = 10;
const maxHolds = 5;

type Situation = Pick<ResidencyDraft, 'callers' | 'reloads' | 'at' | 'limits'>;

/** Whether the model can answer the request, although it was not loaded with its options. */
export function isEnough(model: ModelState, { needs }: CallerState): boolean {
  if (model.needs === undefined || needs === undefined) return false;
  return model.needs.kind === needs.kind && model.needs.context >= needs.context;
}

/** When the model may be reloaded for this caller. */
export function reloadTime(situation: Situation, model: ModelState, caller: CallerState): number {
  const { at, limits } = situation;
  if (!servesOthers(situation, model, caller.client)) return at;
  const holds = 1 + countReloads(situation, caller) - countReloads(situation, model);
  return (model.loadedAt ?? at) + Math.min(Math.max(holds, 0), maxHolds) * limits.reloadHoldMs;
}

/** Counts the reload against the client, unless it only restores what another client has replaced. */
export function recordReload(draft: ResidencyDraft, model: ModelState, caller: CallerState): void {
  const { client, key } = caller;
  if (!servesOthers(draft, model, client)) return;
  if (countReloads(draft, caller) < countReloads(draft, model)) return;
  const recent = draft.reloads.filter((reload) => isRecent(draft, reload));
  draft.reloads = [...recent, { client, key, at: draft.at }];
}

function countReloads(situation: Situation, { client, key }: Pick<ModelState, 'client' | 'key'>): number {
  const own = situation.reloads.filter((reload) => reload.client === client && reload.key === key);
  return own.filter((reload) => isRecent(situation, reload)).length;
}

function isRecent({ at, limits }: Situation, reload: ResidencyState['reloads'][number]): boolean {
  return reload.at + rememberedHolds * limits.reloadHoldMs > at;
}
