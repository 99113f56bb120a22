// What every request to a model begins with: find it, see what it can do, settle its template and options.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { currentRequest, noteModel } from '../../../base/request-scope.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { Engine, Lease } from '../../../inference/engine/ports.ts';
import { parseOptions } from '../../../models/options.ts';
import type { Store } from '../../../models/store/store.ts';
import type { ServiceObserver } from '../generation/observer.ts';
import { type RequestOptions, readRequestOptions } from '../generation/request-options.ts';
import { chooseTemplate } from './choose-template.ts';
import type { ModelFacts, ModelFactsReader } from './model-facts.ts';
import { type OpenModel, openModel } from './open-model.ts';

export interface GenerationServices {
  readonly store: Store;
  readonly engine: Engine;
  readonly facts: ModelFactsReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
}

export interface PreparedModel extends RequestOptions {
  readonly model: OpenModel;
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
}

export interface PrepareRequest {
  readonly model: string;
  /** Empty: the model's own. */
  readonly template: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** What counts where neither the request nor the model says anything. */
  readonly optionDefaults?: Readonly<Record<string, unknown>>;
  /** For the message to those who ask an embedding model for words. */
  readonly task: 'generate' | 'chat' | 'embed';
}

export async function prepareModel(
  { store, facts, logger }: GenerationServices,
  request: PrepareRequest,
): Promise<PreparedModel> {
  const model = await openModel(store, request.model);
  noteModel(model.displayName);
  const known = await facts.read(model.files);
  if (known.embedsOnly && request.task !== 'embed')
    throw new HearthError('unsupported', `"${request.model}" does not support ${request.task}`);
  const { template, stop } = await chooseTemplate(request.template, model, facts);
  const ofModel = {
    ...parseOptions(request.optionDefaults ?? {}).values,
    ...(stop.length > 0 ? { stop } : {}),
    ...model.options,
  };
  return { model, facts: known, template, ...readRequestOptions(ofModel, request.options, logger) };
}

/** Not an error when it is not loaded; one when there is no such model. */
export async function unloadModel({ store, engine }: GenerationServices, name: string): Promise<void> {
  const { files } = await openModel(store, name);
  engine.unload(files.key);
}

export interface AcquiredModel {
  readonly lease: Lease;
  /** A reading of the monotonic clock. */
  readonly acquired: number;
  release(): void;
}

/** Borrows the model, loading it if need be. Until the release, nothing removes its files from the store. */
export async function acquireModel(
  { store, engine, clock, observer }: GenerationServices,
  { model, facts, load }: PreparedModel,
  keepAlive: number | undefined,
  signal: AbortSignal,
): Promise<AcquiredModel> {
  const { displayName: name, files } = model;
  const asked = clock.monotonic();
  const asking = currentRequest();
  const request = {
    name,
    source: files,
    options: load,
    ...(facts.shape ? { shape: facts.shape } : {}),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(asking === undefined ? {} : { requestId: asking.id, client: asking.client }),
  };
  const releaseBlobs = store.holdBlobs(model.digests);
  try {
    const lease = await engine.acquire(request, signal);
    const release = (): void => {
      lease.release();
      releaseBlobs();
    };
    return { lease, acquired: clock.monotonic(), release };
  } catch (error) {
    releaseBlobs();
    // Who gets it goes on waiting until the runner takes it up.
    observer.waited(name, (clock.monotonic() - asked) / nanosecondsPerSecond);
    throw error;
  }
}

export function checkVision(requested: string, { files }: OpenModel): void {
  if (files.projectorPath === undefined) throw new HearthError('unsupported', `"${requested}" does not support images`);
}
