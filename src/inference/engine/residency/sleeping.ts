// Models whose memory on GPUs is given back while their process stays. One that sleeps takes main memory, but no place in the
// list of loaded models. It is woken like a model that is loaded: there must be room for it first.

import type { ModelDraft, ResidencyDraft } from './residency-draft.ts';

export function isAsleep({ sleep }: Pick<ModelDraft, 'sleep'>): boolean {
  return sleep === 'asleep';
}

/** Whether it is loaded, unused, and can sleep in the main memory that the other models leave. */
export function canSleep({ models, limits }: ResidencyDraft, model: ModelDraft): boolean {
  if (model.sleeping === undefined || !model.loaded || model.retired || model.stopping) return false;
  const others = models.reduce((sum, { id, bytes }) => sum + (id === model.id ? 0 : bytes), 0);
  return others + Math.max(model.sleeping.sleepBytes, model.bytes) <= limits.memoryBudget;
}

/** The model keeps its memory on GPUs until it sleeps, and takes main memory before. */
export function putToSleep({ actions }: ResidencyDraft, model: ModelDraft): void {
  model.sleep = 'beginning';
  model.loaded = false;
  model.awakeDevices = model.devices;
  model.bytes = Math.max(model.bytes, model.sleeping?.sleepBytes ?? 0);
  delete model.until;
  actions.push({ type: 'sleep', model: model.id });
}

/** Until it is awake, it is like a model that is loading. */
export function wakeUp({ actions }: ResidencyDraft, model: ModelDraft): void {
  delete model.sleep;
  delete model.until;
  if (model.awakeDevices !== undefined) model.devices = model.awakeDevices;
  actions.push({ type: 'wake-up', model: model.id });
}
