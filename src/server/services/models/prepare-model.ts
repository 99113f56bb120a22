// The first steps of every request to a model: open it, check its capabilities, choose its template and options, and
// acquire a lease.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ConvertWebp } from '../../../formats/image/webp-converter.ts';
import type { Engine, Lease } from '../../../inference/engine/ports.ts';
import type { OptionValues, ParsedOptions } from '../../../models/options.ts';
import type { RemoteReference } from '../../../models/remote-reference.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { Store } from '../../../models/store/store.ts';
import type { Grammars } from '../generation/grammars.ts';
import type { ServiceObserver } from '../generation/observer.ts';
import { type RequestOptions, resolveRequestOptions } from '../generation/request-options.ts';
import type { ChooseTemplate } from './choose-template.ts';
import { type FoundDraft, findDraft } from './find-draft.ts';
import type { ModelFacts, ModelFactsReader } from './model-facts.ts';
import { type OpenModel, openModel } from './open-model.ts';

export interface GenerationServices {
  readonly store: Store;
  readonly engine: Engine;
  readonly facts: ModelFactsReader;
  readonly chooseTemplate: ChooseTemplate;
  readonly grammars: Grammars;
  readonly convertWebp: ConvertWebp;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ServiceObserver;
}

export interface PreparedModel extends RequestOptions {
  readonly model: OpenModel;
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
  readonly draft: FoundDraft | undefined;
  /** The options that the request or the model sets. */
  readonly given: OptionValues;
  /** Where num_ctx comes from, if there is one. */
  readonly contextSource: 'request' | 'model';
}

export interface PrepareRequest {
  readonly model: RequestedModel;
  /** Empty: the model's own. */
  readonly template: string;
  readonly options: ParsedOptions;
  /** Used for options that neither the request nor the model sets. */
  readonly optionDefaults?: OptionValues;
  /** For the error message if the model supports only embeddings or reranking. */
  readonly task: 'generate' | 'chat' | 'embed' | 'rerank';
}

export async function prepareModel(
  services: GenerationServices,
  request: Reported<PrepareRequest>,
): Promise<PreparedModel> {
  const { store, facts, chooseTemplate, logger } = services;
  // Ollama's embed has another text than its other endpoints.
  const notFound =
    request.task === 'embed' ? `model "${request.model.text}" not found, try pulling it first` : undefined;
  const model = await openModel(store, request.model, notFound);
  request.report.model = model.displayName;
  const modelFacts = await facts.read(model.files);
  if (modelFacts.embedsOnly && (request.task === 'generate' || request.task === 'chat'))
    throw new HearthError('unsupported', `"${request.model.text}" does not support ${request.task}`);
  const { template, stop } = await chooseTemplate(request.template, model);
  const modelOptions = { ...request.optionDefaults, ...(stop.length > 0 ? { stop } : {}), ...model.options };
  const options = resolveRequestOptions(modelOptions, request.options, logger);
  const contextSource = request.options.values.numCtx === undefined ? 'model' : 'request';
  const draft = modelFacts.embedsOnly ? undefined : await findDraft(services, model, options.load.draftModel);
  const given = { ...modelOptions, ...request.options.values };
  return { model, facts: modelFacts, template, draft, ...options, given, contextSource };
}

/** The server that runs the model has its template, so it gets messages instead of a prompt. */
export function hasForeignTemplate({ model }: PreparedModel): boolean {
  return model.files.kind === 'remote' && model.template === undefined;
}

/** Empty for a model on this machine. */
export function remoteOf({ model: { files } }: PreparedModel): { readonly remote?: RemoteReference } {
  return files.kind === 'local' ? {} : { remote: { remote: files.remote, model: files.model } };
}

/** An idle model has left memory afterwards. Does nothing if the model is not loaded; throws if it does not exist. */
export async function unloadModel({ store, engine }: GenerationServices, requested: RequestedModel): Promise<void> {
  const { files } = await openModel(store, requested);
  await engine.unload(files.key);
}

export interface AcquiredModel {
  readonly lease: Lease;
  /** Time of the monotonic clock. */
  readonly acquired: number;
  release(): void;
}

/** Loads the model if necessary. Until the release, its files are not removed from the store. */
export async function acquireModel(
  { store, engine, clock, observer }: GenerationServices,
  { model, facts, draft, load, given, contextSource }: PreparedModel,
  keepAlive: number | undefined,
  signal: AbortSignal,
): Promise<AcquiredModel> {
  const { displayName: name, files } = model;
  const started = clock.monotonic();
  const scope = currentRequest();
  const request = {
    name,
    source: files,
    options: load,
    given,
    contextSource,
    ...(facts.shape ? { shape: facts.shape } : {}),
    ...(draft ? { draft } : {}),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(scope === undefined ? {} : { requestId: scope.id, client: scope.client }),
  };
  const releaseBlobs = store.holdBlobs([...model.digests, ...(draft ? [draft.digest] : [])]);
  try {
    const lease = await engine.acquire(request, signal);
    const release = (): void => {
      lease.release();
      releaseBlobs();
    };
    return { lease, acquired: clock.monotonic(), release };
  } catch (error) {
    releaseBlobs();
    // On success the wait is recorded later, when the runner starts the request.
    observer.waited(name, (clock.monotonic() - started) / nanosecondsPerSecond);
    throw error;
  }
}

export function checkVision({ text }: RequestedModel, { model, facts }: Pick<PreparedModel, 'model' | 'facts'>): void {
  // A remote refuses what its model cannot do.
  if (model.files.kind === 'remote' || model.files.projectorPath !== undefined) return;
  const inWeights =
    'has its image encoder inside its weights, which is not supported: create it with a separate projector';
  throw new HearthError('unsupported', `"${text}" ${facts.hasImageEncoder ? inWeights : 'does not support images'}`);
}
