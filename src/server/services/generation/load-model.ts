// Loads a model before it is needed, and unloads it.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
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

/** Absent for callers that may take a model from others. */
function unloadingClient(): string | undefined {
  const request = currentRequest();
  return request?.key?.scope === 'infer' ? request.client : undefined;
}

/** A `keepAlive` of 0 unloads. An idle model has left memory afterwards; nothing happens if it is not loaded. */
export function createLoadModel(services: LoadServices): LoadModel {
  return async ({ task, ...input }, signal) => {
    if (input.keepAlive === 0) {
      const { files } = await openModel(services.store, input.model);
      if (!(await services.engine.unload(files.key, unloadingClient())))
        throw new HearthError(
          'missing_scope',
          `other clients use the model '${input.model.text}'; a key with the scope manage can unload it`,
        );
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
