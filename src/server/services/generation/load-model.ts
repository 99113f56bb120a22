// Loads a model before it is needed, and unloads it.

import type { Reported } from '../../../base/request/request-report.ts';
import type { Engine } from '../../../inference/engine/ports.ts';
import { openModel } from '../models/open-model.ts';
import { type GenerationServices, type ModelInput, prepareModel } from './prepare-model.ts';

export interface LoadInput extends ModelInput {
  /** What the model is loaded for; a model that cannot do it is an error. */
  readonly task: 'generate' | 'chat';
}

export interface LoadServices extends GenerationServices {
  readonly engine: Pick<Engine, 'unload'>;
}

export type LoadModel = (input: Reported<LoadInput>, signal: AbortSignal) => Promise<'loaded' | 'unloaded'>;

/** A `keepAlive` of 0 unloads. An idle model has left memory afterwards; nothing happens if it is not loaded. */
export function createLoadModel(services: LoadServices): LoadModel {
  return async ({ task, ...input }, signal) => {
    if (input.keepAlive === 0) {
      const { files } = await openModel(services.store, input.model);
      await services.engine.unload(files.key);
      return 'unloaded';
    }
    const model = await prepareModel(services, { ...input, startedAt: services.clock.monotonic() });
    try {
      await model.load(signal, task);
      return 'loaded';
    } finally {
      model.release();
    }
  };
}
