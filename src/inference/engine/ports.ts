// The engine as the rest of the server sees it: a caller acquires a lease on a model, and a lease yields events.

import type { LoadOptions, OptionValues } from '../../models/options.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { LoadFit } from '../model/load-fit.ts';
import type { TokenBytes, TokenizeOptions } from '../model/model.ts';
import type { DraftFile, ModelSource } from '../model/model-source.ts';
import type { Embeddings, EmbedRequest, Ranking, RankRequest } from '../model/vectors.ts';
import type { Counters } from '../protocol/counters.ts';
import type { GenerationInput, LoadedEvent, MemoryUse } from '../protocol/messages.ts';
import type { ContextPlan } from './planning/context-plan.ts';

export interface AcquireRequest {
  /** The name that the caller uses; only for messages. */
  readonly name: string;
  readonly source: ModelSource;
  readonly options: LoadOptions;
  /** The options of all scopes that the request or the model sets. A remote model has other defaults. */
  readonly given?: OptionValues;
  /** Where num_ctx comes from if `options` has one. */
  readonly contextSource?: 'request' | 'model';
  /** The keep-alive time in milliseconds; Infinity: never unload. Absent: the value that the model has. */
  readonly keepAlive?: number;
  /** Improves the memory estimate. */
  readonly shape?: ModelShape;
  /** Not used if the server does not speculate. */
  readonly draft?: DraftFile & { readonly shape?: ModelShape };
  /** The id that the client knows the request by. */
  readonly requestId?: string;
  /** The request was admitted before, so the queue limit does not apply to it. */
  readonly readmitted?: boolean;
  /** The same for all requests of one client. Slots of a runner are shared fairly between clients. */
  readonly client?: string;
  /** How many turns the client gets where others get one. Absent: 1. */
  readonly weight?: number;
  /** Gets the slots and passes that no other request needs. */
  readonly background?: true;
  /** The group of the caller's key. Evaluated prompts are shared only between requests with the same one. */
  readonly partition?: string;
  /** The conversation that the caller names. Absent: it names none. */
  readonly session?: string;
}

/** The properties of a model that determine the size of its contexts. */
export interface ModelShape {
  /** Numbers in the KV cache per token, in all layers: for the keys, and for the values. */
  readonly keysPerToken: number;
  readonly valuesPerToken: number;
  /** Numbers per head. */
  readonly keyLength: number;
  readonly valueLength: number;
  /** Heads of a layer that attend. */
  readonly heads: number;
  readonly trainedContext: number;
  /** An embedding model has a context of its own, which is as large as its texts need. */
  readonly embedsOnly: boolean;
  /** Absent if the file does not tell. */
  readonly weights?: ModelWeights;
}

/** What is needed to divide a model between GPUs and main memory. */
export interface ModelWeights {
  readonly layers: readonly {
    readonly bytes: number;
    /** The part of `bytes` that is experts of which a token uses few. Absent: none. */
    readonly expertBytes?: number | undefined;
    /** The part of the KV cache that belongs to this layer, from 0 to 1. */
    readonly cacheShare: number;
  }[];
  /** Bytes of what follows the last layer. */
  readonly output: number;
  /** Bytes that are always in main memory. */
  readonly input: number;
  /** Number of tokens. */
  readonly vocabulary: number;
  /** The largest number of values of a token inside a layer. */
  readonly width: number;
}

export interface GenerateRequest extends GenerationInput {
  /** Validated PNG or JPEG files. The first replaces [img-0] in the prompt, and so on. */
  readonly images?: readonly Buffer[];
}

export interface LoadedModel {
  readonly name: string;
  readonly key: string;
  readonly info: Omit<LoadedEvent, 'type'>;
  /** As it was before the load. The length of the context is in `info`. */
  readonly plan: ContextPlan;
  readonly memory: MemoryUse;
  readonly counters: Counters | undefined;
  /** The size of the prefix cache in main memory. Absent: unknown. */
  readonly prefixBytes?: number;
  /** Tokens of the requests that its runner works on. Absent: unknown. */
  readonly contextTokens?: number;
  /** The backend that it runs on: `cuda`, `cpu`. */
  readonly backend: string;
  /** Why it does not run on the backends that were tried before. */
  readonly fallback: string | undefined;
  /** Layers on GPUs, with the output as one. Absent if the server did not decide the number. */
  readonly layers: LayerCount | undefined;
  /** Why fewer layers are on GPUs than planned. */
  readonly reduced: string | undefined;
  /**
   * The time in milliseconds since the epoch; Infinity: never. While the model is in use: as if the last request ended
   * now.
   */
  readonly expiresAt: number;
}

export interface LayerCount {
  readonly onGpus: number;
  readonly total: number;
  /** The number of layers, from the first on, whose experts are in main memory. Absent: none. */
  readonly expertsInMemory?: number | undefined;
}

/** A model that takes memory, or is about to. */
export interface ResidentModel {
  /** Unique to this load. */
  readonly id: number;
  /** The name it was loaded under. */
  readonly name: string;
  /** Other models with the same files that were used since. */
  readonly otherNames?: readonly string[];
  readonly key: string;
  /**
   * Draining: it accepts no new requests and is unloaded when the current ones end. Sleeping: it has given back the memory
   * of GPUs, and the next request wakes it up.
   */
  readonly state: 'loading' | 'idle' | 'busy' | 'sleeping' | 'draining';
  /** Estimated until it is loaded. */
  readonly memory: MemoryUse;
  /** As in `LoadedModel`. While it loads: as if it were loaded and used now. */
  readonly expiresAt: number;
  readonly leases: number;
  /** Requests that wait for its load, for its reload, or for the runner to start them. */
  readonly queued: number;
  /** What its load does, such as "loading weights 3 of 8" or "waking up". Absent: unknown, or it is loaded. */
  readonly step?: string | undefined;
  /** Absent while it loads. */
  readonly loaded: Omit<LoadedModel, 'name' | 'key' | 'memory' | 'expiresAt'> | undefined;
}

/** Requests that wait for one model, in order of arrival. */
export interface ModelQueue {
  readonly name: string;
  readonly key: string;
  readonly waiting: readonly {
    /** The request's id. */
    readonly id: string;
    /** The time in milliseconds since the epoch. */
    readonly since: number;
    /** `model`: the model is not loaded yet. `runner`: the runner has not started the request yet. */
    readonly for: 'model' | 'runner';
    readonly background?: true;
  }[];
}

/** Times of the monotonic clock. */
export interface LoadTime {
  readonly from: number;
  readonly until: number;
}

/**
 * A request's hold on a loaded model. The model is not unloaded before the release. Calls without a signal end with the
 * signal that the lease was acquired with.
 */
export interface Lease {
  readonly model: LoadedModel;
  /** When the model was loaded. Absent: a remote has it. */
  readonly loadTime?: LoadTime | undefined;
  /** `started`, then `tokens`, then `done`. The times since the request arrived are 0. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<AnswerEvent>;
  embed(request: EmbedRequest, signal: AbortSignal): Promise<Embeddings>;
  /** Scores documents. Rejects with `bad_request` if the model is not a reranker. */
  rank(request: RankRequest, signal: AbortSignal): Promise<Ranking>;
  /** Number of tokens of a prompt with so many images, whose tokens are estimated. For a prompt far longer than the
   * context, some number larger than the context. */
  countTokens(prompt: string, images?: number): Promise<number>;
  tokenize(text: string, options: TokenizeOptions): Promise<readonly number[]>;
  /** Rejects with `bad_request` for a number that is not a token of the model. */
  detokenize(tokens: readonly number[]): Promise<string>;
  piecesOf(tokens: readonly number[]): Promise<TokenBytes>;
  release(): void;
}

/** Is notified of loads, and of runners that have ended. */
export interface EngineObserver {
  loadEnded(load: { readonly model: string; readonly seconds: number; readonly outcome: 'ok' | 'failed' }): void;
  runnerEnded(runner: { readonly model: string; readonly crashed: boolean }): void;
}

export interface Engine {
  /** Loads the model if necessary. Rejects with `busy` if too many requests wait. */
  acquire(request: AcquireRequest, signal: AbortSignal): Promise<Lease>;
  /** The context that a load for this request would have. Throws `bad_request` if an option contradicts the settings. */
  planContext(request: AcquireRequest): ContextPlan;
  /** Whether the model of this request would fit if it were the only one. Undefined if it runs elsewhere. */
  judgeLoad(request: AcquireRequest): Promise<LoadFit | undefined>;
  /**
   * Unloads a model when its last request ends. Resolves when a model without requests has left memory, and at once if
   * the model has requests or is not loaded. False if it stays loaded, because it serves others than `client`.
   */
  unload(key: string, client?: string): Promise<boolean>;
  /** All models that take memory, including those that are loading. */
  loaded(): readonly ResidentModel[];
  queue(): readonly ModelQueue[];
  /** Gives running requests so much time to end, then ends all runners. */
  close(graceMilliseconds: number): Promise<void>;
}
