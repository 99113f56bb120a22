// Loads models after the start of the server, so that the first request does not wait for them. Each stays loaded like
// after a request.

import { messageOf } from '../../../base/errors.ts';
import { RequestReport } from '../../../base/request/request-report.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { type GenerationServices, prepareModel } from './prepare-model.ts';

/** Never rejects: a model that cannot be loaded is logged, and the next one is loaded. */
type PreloadModels = (names: readonly string[], signal: AbortSignal) => Promise<void>;

export function createPreloadModels(services: GenerationServices): PreloadModels {
  const { clock, logger } = services;
  const load = async (text: string, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.monotonic();
    const model = await prepareModel(services, {
      model: parseRequestedModel(text),
      options: { values: {}, unknown: [] },
      report: new RequestReport(),
      startedAt,
    });
    try {
      await model.load(signal);
      logger.info('preloaded a model', { model: model.name, seconds: (clock.monotonic() - startedAt) / 1000 });
    } finally {
      model.release();
    }
  };
  // One after another: they share the disk and the memory.
  return async (names, signal) => {
    for (const name of names) {
      if (signal.aborted) return;
      await load(name, signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn('could not preload a model', { model: name, reason: messageOf(error) });
      });
    }
  };
}
