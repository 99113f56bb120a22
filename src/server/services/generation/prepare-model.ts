// Opens a model for a request: finds it in the store, and holds its files until the release.

import type { Logger } from '../../../base/logger.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { OpenTokenMeter } from '../../../base/request/token-meter.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Model, OpenForRequest, OpenRequest } from '../../../inference/model/model.ts';
import type { RequestedModel } from '../../../models/name.ts';
import type { OptionValues, ParsedOptions } from '../../../models/options.ts';
import type { Store } from '../../../models/store/store.ts';
import { findWeightsIn, openModel } from '../models/open-model.ts';
import type { ServiceObserver } from './observer.ts';

export interface GenerationServices {
  readonly store: Store;
  readonly openModel: OpenForRequest;
  readonly openMeter: OpenTokenMeter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
}

/** What every request to a model has. */
export interface ModelInput {
  readonly model: RequestedModel;
  readonly options: ParsedOptions;
  /** Used for options that neither the request nor the model sets. */
  readonly optionDefaults?: OptionValues;
  /** The keep-alive time in milliseconds. */
  readonly keepAlive?: number;
}

interface PrepareRequest extends ModelInput, Pick<OpenRequest, 'template' | 'startedAt'> {
  /** The error message for a model that does not exist. */
  readonly notFound?: string;
  /** Absent: those of the request. */
  readonly times?: OpenRequest['times'];
}

/** The caller releases the model. */
export async function prepareModel(
  { store, openModel: open }: Pick<GenerationServices, 'store' | 'openModel'>,
  { model: requested, notFound, keepAlive, report, times = report.times, ...request }: Reported<PrepareRequest>,
): Promise<Model> {
  const model = await openModel(store, requested, notFound);
  report.model = model.displayName;
  report.ignore(request.options.unknown.map((name) => `options.${name}`));
  const held = [store.holdBlobs(model.digests)];
  const onRelease = (): void => {
    for (const release of held.splice(0)) release();
  };
  const findWeights = async (name: string) => {
    const draft = await findWeightsIn(store, name);
    if (draft !== undefined) held.push(store.holdBlobs([draft.digest]));
    return draft;
  };
  try {
    return await open({
      ...request,
      requested,
      model,
      times,
      keepAliveMs: keepAlive ?? model.keepAliveMs,
      findWeights,
      onRelease,
    });
  } catch (error) {
    onRelease();
    throw error;
  }
}

// Ollama's embed has another text than its other endpoints.
export function notFoundInEmbed({ text }: RequestedModel): string {
  return `model "${text}" not found, try pulling it first`;
}
