// What the rest of the server sees of the engine: models are acquired as leases, and a lease yields events.

import type { LoadOptions, SampleOptions } from '../model/options.ts';
import type { Counters, LoadedEvent } from '../protocol/messages.ts';

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
}

export interface GenerateRequest {
  readonly prompt: string;
  /** Picture files, PNG or JPEG, that were checked. The first stands where the prompt says [img-0], and so on. */
  readonly images?: readonly Buffer[];
  readonly context: readonly number[];
  readonly options: SampleOptions;
  readonly grammar?: string;
  readonly wantContext: boolean;
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
      readonly reusedTokens: number;
      readonly droppedTokens: number;
    }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'done';
      readonly reason: 'stop' | 'length';
      readonly stats: GenerateStats;
      readonly context?: readonly number[];
    };

/** Where a loaded model's bytes are, as the engine reported them. */
export interface MemoryUse {
  readonly totalBytes: number;
  /** The part that is on a GPU. */
  readonly deviceBytes: number;
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

/** A request's hold on a loaded model. It is not unloaded before it is released. */
export interface Lease {
  readonly model: LoadedModel;
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent>;
  /** How many tokens a prompt is for this model, with so many pictures in it, which are guessed; of one that is far
   * too long, at least more than fit. */
  countTokens(prompt: string, images?: number): Promise<number>;
  release(): void;
}

export interface Engine {
  /** Loads the model if need be. Rejects with `busy` when too many wait already. */
  acquire(request: AcquireRequest, signal: AbortSignal): Promise<Lease>;
  /** Unloads a model as soon as nobody uses it; nothing happens when it is not loaded. */
  unload(key: string): void;
  loaded(): readonly LoadedModel[];
  /** Lets running requests go on for a while, then ends all runners. */
  close(graceMilliseconds: number): Promise<void>;
}
