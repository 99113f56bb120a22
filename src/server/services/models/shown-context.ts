// The context of a model for people: the one that it has, or would have.

import { HearthError } from '../../../base/errors.ts';
import type { AcquireRequest, Engine, LoadedModel } from '../../../inference/engine/ports.ts';

export type ShownContext = Pick<LoadedModel['plan'], 'length' | 'source' | 'parallel' | 'cacheTypes'>;

export function contextOfLoaded({ plan, info }: Pick<LoadedModel, 'plan' | 'info'>): ShownContext {
  const { contextLength: length, parallel } = info;
  // Shorter than planned: the memory of a GPU was too small, or the file has a shorter trained length.
  if (length >= plan.length) return { ...plan, length, parallel };
  return { ...plan, length, parallel, source: length === info.trainedContext ? 'trained' : 'memory' };
}

/** Undefined if the options of the model contradict the settings: a request then gets the error. */
export function contextOfNext(engine: Pick<Engine, 'planContext'>, request: AcquireRequest): ShownContext | undefined {
  try {
    return engine.planContext(request);
  } catch (error) {
    if (error instanceof HearthError && error.code === 'bad_request') return undefined;
    throw error;
  }
}
