// What the rest of the server sees of the engine: models are acquired as leases, and a lease yields events.

import type { LoadOptions } from '../../models/options.ts';
import type { Counters } from '../protocol/counters.ts';
import type { GenerationInput, LoadedEvent, MemoryUse, TokenLogprob } from '../protocol/messages.ts';

export interface ModelFiles {
  /** The same for the same weights, adapters and projector, whatever the model is called. */
  readonly key: string;
  readonly weightsPath: string;
  readonly adapterPaths: readonly string[];
  /** Of a model with eyes. */
  readonly projectorPath?: string;
}

export interface AcquireRequest {
  /** What the caller calls it; for messages only. */
  readonly name: string;
  readonly files: ModelFiles;
  readonly options: LoadOptions;
  /** Milliseconds, Infinity for ever; absent keeps what the model has. */
  readonly keepAlive?: number;
  /** For the estimate of its memory, which is a guess without it. */
  readonly shape?: ModelShape;
  /** The request that it is for, by the name that its client knows. */
  readonly requestId?: string;
  /** It was let in before: the length of the queue does not matter. */
  readonly again?: boolean;
  /** The same for requests of one client; places in a runner go round between clients. */
  readonly client?: string;
}

/** What the size of a model's contexts follows from. */
export interface ModelShape {
  /** Numbers that the KV cache keeps for a token: keys and values of all layers. */
  readonly cacheValuesPerToken: number;
  /** The longest context that it was trained with; 0 where its file does not say. */
  readonly trainedContext: number;
}

export interface GenerateRequest extends GenerationInput {
  /** Validated PNG or JPEG files. The first replaces [img-0] in the prompt, and so on. */
  readonly images?: readonly Buffer[];
}

export interface GenerateStats {
  readonly promptTokens: number;
  readonly promptNanoseconds: number;
  readonly generatedTokens: number;
  readonly generateNanoseconds: number;
}

export type GenerateEvent =
  | {
      readonly type: 'started';
      readonly promptTokens: number;
      readonly cachedTokens: number;
      readonly droppedTokens: number;
    }
  | { readonly type: 'text'; readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  | {
      readonly type: 'done';
      readonly reason: 'stop' | 'length';
      /** The stop sequence that ended the answer, if one did. */
      readonly stopSequence?: string;
      readonly stats: GenerateStats;
      readonly context?: readonly number[];
    };

export interface EmbedRequest {
  /** A text, or the tokens of one. */
  readonly texts: readonly (string | readonly number[])[];
  /** Whether a text that is too long loses its end; otherwise it is a `bad_request`. */
  readonly truncate: boolean;
}

/** In the order of the texts. */
export interface Embeddings {
  /** As the model pools them: of any length, and not looked at for numbers that are none. */
  readonly vectors: Float32Array[];
  /** What was evaluated of each text, special tokens included. */
  readonly tokens: number[];
}

export interface LoadedModel {
  readonly name: string;
  readonly key: string;
  readonly pid: number;
  readonly info: Omit<LoadedEvent, 'type'>;
  readonly memory: MemoryUse;
  readonly counters: Counters | undefined;
  /** Why it runs without the GPU that is there. */
  readonly fallback: string | undefined;
  /** Milliseconds since the epoch, Infinity for never; while it is in use, as if the request ended now. */
  readonly expiresAt: number;
}

/** A model that has memory, or is about to. */
export interface ResidentModel {
  /** A number that no other load has. */
  readonly id: number;
  /** What it was called when it was loaded. */
  readonly name: string;
  readonly key: string;
  /** Draining: it takes no new requests, and goes when those that have it are done. */
  readonly state: 'loading' | 'idle' | 'busy' | 'draining';
  /** Estimated until it is loaded. */
  readonly memory: MemoryUse;
  /** As of `LoadedModel`; while it loads, as if it were loaded and used now. */
  readonly expiresAt: number;
  readonly leases: number;
  /** Requests that wait: for its load, for its reload, or for the runner to take them up. */
  readonly queued: number;
  /** Absent while it loads. */
  readonly loaded: Omit<LoadedModel, 'name' | 'key' | 'memory' | 'expiresAt'> | undefined;
}

/** Those who wait for one model, in order of arrival. */
export interface ModelQueue {
  readonly name: string;
  readonly key: string;
  readonly waiting: readonly {
    /** Of the request. */
    readonly id: string;
    /** Milliseconds since the epoch. */
    readonly since: number;
    /** For the model to be loaded, or for its runner to take the request up. */
    readonly for: 'model' | 'runner';
  }[];
}

/** A request's hold on a loaded model. It is not unloaded before it is released. */
export interface Lease {
  readonly model: LoadedModel;
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent>;
  embed(request: EmbedRequest, signal: AbortSignal): Promise<Embeddings>;
  /** How many tokens a prompt is for this model, with so many pictures in it, which are guessed; of one that is far
   * too long, at least more than fit. */
  countTokens(prompt: string, images?: number): Promise<number>;
  tokenize(text: string, options: { readonly addSpecial: boolean }): Promise<readonly number[]>;
  /** Rejects with `bad_request` for a number that is no token of the model. */
  detokenize(tokens: readonly number[]): Promise<string>;
  release(): void;
}

/** Hears of loads and of runners that have ended. */
export interface EngineObserver {
  loadEnded(load: { readonly model: string; readonly seconds: number; readonly outcome: 'ok' | 'failed' }): void;
  runnerEnded(runner: { readonly model: string; readonly crashed: boolean }): void;
}

export interface Engine {
  /** Loads the model if need be. Rejects with `busy` when too many wait already. */
  acquire(request: AcquireRequest, signal: AbortSignal): Promise<Lease>;
  /** Unloads a model as soon as nobody uses it; nothing happens when it is not loaded. */
  unload(key: string): void;
  /** Everything that has memory, models that are loading among it. */
  loaded(): readonly ResidentModel[];
  queue(): readonly ModelQueue[];
  /** Lets running requests go on for a while, then ends all runners. */
  close(graceMilliseconds: number): Promise<void>;
}
