// What server and runner say to each other. Commands go down to the runner, events come up. Both sides are
// ours, but a runner holds native code that reads files from anywhere, so the server checks every event
// (check-event.ts) before it believes it.

import type { LoadOptions, SampleOptions } from '../../models/options.ts';
import type { Counters } from './counters.ts';

export const protocolVersion = 1;

export type EngineBuildName = 'auto' | 'cpu' | 'cuda' | 'vulkan' | 'metal';

export interface LoadCommand {
  readonly type: 'load';
  readonly modelPath: string;
  readonly adapterPaths: readonly string[];
  /** Of a vision model. */
  readonly projectorPath?: string;
  readonly build: EngineBuildName;
  readonly options: LoadOptions;
  /** Context length if `options` has none. The trained context length is used if it is smaller. */
  readonly defaultContextLimit: number;
  /** 0: decided by the size of the context. */
  readonly parallel: number;
  readonly flashAttention: boolean | 'auto';
  readonly kvCacheType: 'f16' | 'q8_0' | 'q4_0';
  /** Maximum bytes of KV cache in total if `parallel` is 0. */
  readonly cacheBudget?: number;
  readonly prefixCacheBytes: number;
}

/** What to generate, as the engine's callers and the runner both describe it. */
export interface GenerationInput {
  /** Tokens that precede the prompt: the `context` of an earlier answer. */
  readonly context: readonly number[];
  readonly prompt: string;
  readonly options: SampleOptions;
  /** GBNF that constrains the answer. */
  readonly grammar?: string;
  /** Values added to the logits of single tokens. */
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
  /** Whether `done` carries the tokens of prompt and answer. */
  readonly wantContext: boolean;
  /** How many of the likeliest tokens to report with each chosen one. Absent: no probabilities. */
  readonly topLogprobs?: number;
  /** False: the answer ends when the context is full. */
  readonly shift?: boolean;
  /** False: a prompt longer than the context is an error. */
  readonly truncate?: boolean;
}

export interface GenerateCommand extends GenerationInput {
  readonly type: 'generate';
  readonly id: number;
  /** Free slots are shared fairly between clients, however many requests each has waiting. */
  readonly client: string;
  /** Image files in base64. The first replaces [img-0] in the prompt, and so on. A number without an image stays text. */
  readonly images?: readonly string[];
}

/** How many tokens a text is; answered by `counted`. */
export interface CountCommand {
  readonly type: 'count';
  readonly id: number;
  readonly text: string;
  /** How many pictures stand in it, as [img-0] and so on. What one takes is guessed. */
  readonly images?: number;
}

/** Answered by `tokenized`. */
export interface TokenizeCommand {
  readonly type: 'tokenize';
  readonly id: number;
  readonly text: string;
  /** Whether the tokens that the model wants around a text are among them. */
  readonly addSpecial: boolean;
}

/** Answered by `detokenized`, or by `failed` for a number that is no token. */
export interface DetokenizeCommand {
  readonly type: 'detokenize';
  readonly id: number;
  readonly tokens: readonly number[];
}

/** Texts to turn into vectors; answered by `embedded`, in as many parts as it takes. */
export interface EmbedCommand {
  readonly type: 'embed';
  readonly id: number;
  /** A text, or the tokens of one. */
  readonly texts: readonly (string | readonly number[])[];
  /** Whether a text that is too long loses its end; otherwise it is an error. */
  readonly truncate: boolean;
}

export interface CancelCommand {
  readonly type: 'cancel';
  readonly id: number;
}

export type Command =
  | LoadCommand
  | GenerateCommand
  | CountCommand
  | TokenizeCommand
  | DetokenizeCommand
  | EmbedCommand
  | CancelCommand;

export interface DeviceInfo {
  readonly name: string;
  readonly description: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The runner is up and has its library; it waits for `load`. */
export interface HelloEvent {
  readonly type: 'hello';
  readonly protocol: number;
}

/** The weights are in memory; a first small decode comes next. A runner that dies now died in its warm-up. */
export interface WarmingEvent {
  readonly type: 'warming';
  /** GPUs that hold a part of the model. */
  readonly devices: readonly DeviceInfo[];
}

export interface LoadedEvent {
  readonly type: 'loaded';
  readonly engine: string;
  readonly contextLength: number;
  readonly trainedContext: number;
  readonly parallel: number;
  readonly batch: number;
  readonly threads: number;
}

/** Bytes that a loaded model takes, as llama.cpp reports them. */
export interface MemoryUse {
  readonly totalBytes: number;
  /** The part of `totalBytes` that is on GPUs. */
  readonly deviceBytes: number;
}

/** Sent before `loaded`, and after that whenever the figures change. */
export interface MemoryEvent extends MemoryUse {
  readonly type: 'memory';
}

export interface LoadFailedEvent {
  readonly type: 'load-failed';
  readonly message: string;
}

/** The prompt is tokenised and the request has its place in the batch. */
export interface StartedEvent {
  readonly type: 'started';
  readonly id: number;
  readonly promptTokens: number;
  /** How many of them were evaluated for another request and are reused. */
  readonly cachedTokens: number;
  /** How many tokens of a prompt longer than the context were left out. */
  readonly droppedTokens: number;
}

/** New text of one or more requests: what one or a few steps produced. */
export interface TextEvent {
  readonly type: 'text';
  readonly pieces: readonly TextPiece[];
}

export interface TextPiece {
  readonly id: number;
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[];
}

/** How likely a token was, by the model alone: before penalties, biases and sampling. */
export interface TokenProbability {
  /** The bytes that it stands for; not always whole characters. */
  readonly bytes: readonly number[];
  readonly logprob: number;
}

export interface TokenLogprob extends TokenProbability {
  readonly top: readonly TokenProbability[];
}

export interface DoneEvent {
  readonly type: 'done';
  readonly id: number;
  readonly reason: 'stop' | 'length';
  /** The stop sequence that ended the answer. Absent if the answer ended otherwise. */
  readonly stopSequence?: string;
  readonly promptTokens: number;
  readonly promptNanoseconds: number;
  readonly generatedTokens: number;
  readonly generateNanoseconds: number;
  readonly context?: readonly number[];
}

export interface FailedEvent {
  readonly type: 'failed';
  readonly id: number;
  /** `bad_request`: what was asked cannot be done; `request_failed`: the engine could not do it. */
  readonly code: 'bad_request' | 'request_failed';
  readonly message: string;
}

export interface CountedEvent {
  readonly type: 'counted';
  readonly id: number;
  readonly tokens: number;
}

export interface TokenizedEvent {
  readonly type: 'tokenized';
  readonly id: number;
  readonly tokens: readonly number[];
}

export interface DetokenizedEvent {
  readonly type: 'detokenized';
  readonly id: number;
  readonly text: string;
}

/** Some of the vectors that were asked for, in any order; each comes once. */
export interface EmbeddedEvent {
  readonly type: 'embedded';
  readonly id: number;
  readonly vectors: readonly EmbeddedText[];
}

export interface EmbeddedText {
  /** Which of the texts it is. */
  readonly index: number;
  /** What was evaluated, special tokens included. */
  readonly tokens: number;
  /** 32-bit floats, the lowest byte first, in base64; as the model pools them, of any length. */
  readonly vector: string;
}

/** What the step loop has done since the load; sent whenever it runs out of work. */
export interface CountersEvent {
  readonly type: 'counters';
  readonly counters: Counters;
}

export type RunnerEvent =
  | HelloEvent
  | WarmingEvent
  | LoadedEvent
  | LoadFailedEvent
  | MemoryEvent
  | StartedEvent
  | TextEvent
  | DoneEvent
  | FailedEvent
  | CountedEvent
  | TokenizedEvent
  | DetokenizedEvent
  | EmbeddedEvent
  | CountersEvent;
