// The messages between server and runner: the server sends commands, the runner sends events. A runner executes native
// code on untrusted files, so the server validates every event (check-event.ts).

import type { CacheTypes } from '../../models/kv-cache-types.ts';
import type { LoadOptions, SampleOptions } from '../../models/options.ts';
import type { Counters } from './counters.ts';

export const protocolVersion = 1;

export type EngineBuildName = 'auto' | 'cpu' | 'cuda' | 'vulkan' | 'metal';

export interface LoadCommand {
  readonly type: 'load';
  readonly modelPath: string;
  readonly adapterPaths: readonly string[];
  /** The projector of a vision model. */
  readonly projectorPath?: string;
  /** A model with the same vocabulary, which drafts tokens. */
  readonly draftPath?: string;
  readonly build: EngineBuildName;
  /** Shared libraries of GPU backends that ggml loads in addition to its own. */
  readonly libraries?: readonly string[];
  /** The file of an engine with a GPU backend, which encodes the images of a vision model. Absent: the default one. */
  readonly visionEngine?: string;
  readonly options: LoadOptions;
  /** Context lengths in order of preference: the first that the memory suffices for. At most the trained one is used. */
  readonly contextLengths: readonly number[];
  readonly parallel: number;
  readonly flashAttention: boolean | 'auto';
  readonly cacheTypes: CacheTypes;
  readonly prefixCacheBytes: number;
  /** Absent: prefixes are not written to disk. */
  readonly prefixDisk?: PrefixDiskSettings;
  /** Milliseconds that a request may generate before it yields its slot to another client. Absent: it never does. */
  readonly slotTime?: number;
  /** False: no request speculates. */
  readonly speculation?: boolean;
  /** False: the number of threads does not depend on other programs. */
  readonly adaptThreads?: boolean;
  /** Whether the runner says which tokens its prefix cache has. */
  readonly announcesBlocks?: boolean;
}

export interface PrefixDiskSettings {
  /** A folder of this model's own. */
  readonly folder: string;
  /** Digests of weights, adapters and projector. */
  readonly weights: string;
  /** The size of the largest file. */
  readonly maxBytes: number;
}

/** What to generate, as the engine's callers and the runner both describe it. */
export interface GenerationInput {
  /** Tokens that precede the prompt: the `context` of an earlier answer. */
  readonly context: readonly number[];
  readonly prompt: string;
  readonly options: SampleOptions;
  /** GBNF that constrains the answer. With `thinking`, what follows the thinking. */
  readonly grammar?: string;
  /** A grammar that constrains the answer from a trigger on. */
  readonly lazyGrammar?: LazyGrammar;
  /** The model may think before it answers. `done` then has `thinkingTokens`. */
  readonly thinking?: ThinkingInput;
  /** Control tokens whose text is part of the answer. The text of all others is left out. */
  readonly keepTokens?: readonly string[];
  /** A text that the answer probably repeats. Its tokens are drafted, so it changes the speed and not the answer. */
  readonly prediction?: string;
  /** Values added to the logits of single tokens. */
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
  /** Whether `done` carries the tokens of prompt and answer. */
  readonly wantContext: boolean;
  /** Whether the numbers of the tokens are reported: those of the prompt, and those of the answer. */
  readonly wantTokens?: boolean;
  /** The conversation that the caller names, so that its prompts are kept. Absent: it names none. */
  readonly session?: string;
  /** The answer fills a gap in a text: tokens with the same beginning count together, and unlikely ones end it. */
  readonly fillsGap?: boolean;
  /** Whether `progress` tells how much of a long prompt is evaluated. */
  readonly wantProgress?: boolean;
  /** How many of the likeliest tokens to report with each chosen one. Absent: no probabilities. */
  readonly topLogprobs?: number;
  /** Absent: the tokens of the prompt are not reported. */
  readonly promptLogprobs?: PromptLogprobsInput;
  /** `context` is the entire prompt, token for token. */
  readonly exactTokens?: boolean;
  /** The prompt is evaluated, and nothing is generated. */
  readonly promptOnly?: boolean;
  /** False: the answer ends when the context is full. */
  readonly shift?: boolean;
  /** False: a prompt longer than the context is an error. */
  readonly truncate?: boolean;
}

/** Which tokens of a prompt are reported with their log probabilities. A prompt that is too long is an error then. */
export interface PromptLogprobsInput {
  /** How many of the likeliest tokens to report at each position. */
  readonly top: number;
  /** The first token to report. The logits of reused tokens are not known, so only those before it can be reused. */
  readonly from: number;
  /** Whether the distributions that the tokens are judged by are reported. */
  readonly wantDistributions?: boolean;
  /** The distributions that another model has reported for these tokens. Each token then has its divergence from them. */
  readonly baseline?: string;
}

/** The tags around the thinking. No grammar and no trigger applies to the text between them. */
export interface ThinkingInput {
  readonly open: string;
  readonly close: string;
  /** The prompt ends with the opening tag. */
  readonly begun: boolean;
  /** Thinking that takes this many tokens is closed by force. The forced text is part of the answer's text, but its
   * tokens are not counted as generated. */
  readonly budget?: number;
}

export interface LazyGrammar {
  /** GBNF. The text of the grammar starts with the trigger. */
  readonly grammar: string;
  /** The text of the grammar starts after the trigger. */
  readonly afterTrigger?: boolean;
  readonly triggers: readonly GrammarTrigger[];
}

interface GrammarTrigger {
  readonly text: string;
  /** Only at the start of the answer, where white space between the characters is ignored. */
  readonly atStart: boolean;
}

export interface GenerateCommand extends GenerationInput {
  readonly type: 'generate';
  readonly id: number;
  /** Free slots are shared fairly between clients, however many requests each has waiting. */
  readonly client: string;
  /** How many turns the client gets where others get one. Absent: 1. */
  readonly weight?: number;
  /** Gets the slots and passes that no other request needs. */
  readonly background?: true;
  /** Evaluated prompts are reused only within a partition. Absent: the one of all callers without a key. */
  readonly partition?: string;
  /** Image files in base64. The first replaces [img-0] in the prompt, and so on. A tag without an image stays text. */
  readonly images?: readonly string[];
}

/** Counts the tokens of a text; answered by `counted`. */
export interface CountCommand {
  readonly type: 'count';
  readonly id: number;
  readonly text: string;
  /** Number of images in the text, as [img-0] and so on. Their tokens are estimated. */
  readonly images?: number;
}

/** Answered by `tokenized`. */
export interface TokenizeCommand {
  readonly type: 'tokenize';
  readonly id: number;
  readonly text: string;
  /** Whether to add the special tokens that the model expects around a text. */
  readonly addSpecial: boolean;
  /** The names of control tokens are text like any other. */
  readonly plain?: boolean;
}

/** Answered by `detokenized`, or by `failed` for a number that is not a token. */
export interface DetokenizeCommand {
  readonly type: 'detokenize';
  readonly id: number;
  readonly tokens: readonly number[];
  /** Whether the bytes of each token are wanted, too. */
  readonly wantPieces?: boolean;
}

/** Answered by one or more `embedded` events. */
export interface EmbedCommand {
  readonly type: 'embed';
  readonly id: number;
  /** Each is a text or its tokens. */
  readonly texts: readonly (string | readonly number[])[];
  /** True: a text that is too long is truncated at its end. False: it is an error. */
  readonly truncate: boolean;
  /** Where a text is too long, if the context is longer. */
  readonly maxTokens?: number;
}

/** A query and the documents to score for it, as the engine's callers and the runner both describe it. */
export interface RankInput {
  /** Absent: each document is read alone, to be classified. */
  readonly query?: string;
  readonly documents: readonly string[];
  /** What to judge by. Ignored by models that have no place for it. Absent: the model's own. */
  readonly instruction?: string;
  /** True: texts that do not fit into the context are truncated at their end. False: they are an error. */
  readonly truncate: boolean;
  /** Longer texts are truncated at their end. */
  readonly maxQueryTokens?: number;
  readonly maxDocumentTokens?: number;
}

/** Answered by one or more `embedded` events. The vector of a document has its scores. */
export interface RankCommand extends RankInput {
  readonly type: 'rank';
  readonly id: number;
}

export type RunnerCommand =
  | LoadCommand
  | GenerateCommand
  | CountCommand
  | TokenizeCommand
  | DetokenizeCommand
  | EmbedCommand
  | RankCommand
  | { readonly type: 'cancel'; readonly id: number }
  /** The most bytes of the prefix cache in main memory from now on. What is more is evicted. */
  | { readonly type: 'limit-prefixes'; readonly maxBytes: number }
  /** Answered by `pong` between two steps. */
  | { readonly type: 'ping' };

export interface DeviceInfo {
  readonly name: string;
  readonly description: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface LoadedEvent {
  readonly type: 'loaded';
  readonly engine: string;
  readonly contextLength: number;
  readonly trainedContext: number;
  readonly parallel: number;
  readonly batch: number;
  readonly threads: number;
  /** GPUs that the backend can use, whether or not this model uses them. Absent: unknown. */
  readonly gpus?: number;
}

/** Bytes that a loaded model takes, as llama.cpp reports them. */
export interface MemoryUse {
  readonly totalBytes: number;
  /** The part of `totalBytes` that is on GPUs. */
  readonly deviceBytes: number;
  /** `deviceBytes` by GPU. Absent: unknown. */
  readonly devices?: readonly DeviceUse[];
}

export interface DeviceUse {
  /** The name in ggml: `CUDA0`. */
  readonly name: string;
  readonly bytes: number;
  /** The memory of the GPU is main memory. */
  readonly isUnified: boolean;
}

/** Sent before `loaded`, and later whenever the values change. */
export interface MemoryEvent extends MemoryUse {
  readonly type: 'memory';
}

/** The prompt is tokenized and the request has a slot. */
export interface StartedEvent {
  readonly type: 'started';
  readonly id: number;
  readonly promptTokens: number;
  /** Prompt tokens that the prefix cache provided. */
  readonly cachedTokens: number;
  /** Cached tokens that were read from disk. */
  readonly diskTokens?: number;
  /** Tokens of a prompt longer than the context that were left out. */
  readonly droppedTokens: number;
  /** The tokens of the prompt, if the request wants them. */
  readonly promptIds?: readonly number[];
  /** Fields of the request that have no effect on this model. */
  readonly ignored?: readonly string[];
}

/** How much of the prompt is evaluated. Sent between `started` and the first text, about twice a second. */
export interface ProgressEvent {
  readonly type: 'progress';
  readonly id: number;
  /** Tokens of the prompt. */
  readonly evaluated: number;
}

export interface TextPiece {
  readonly id: number;
  readonly text: string;
  /** The tokens that were written since the last piece, if the request wants them. */
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly TokenLogprob[];
  /** Tokens of the answer so far. Absent: the engine does not count them. */
  readonly generatedTokens?: number;
}

/** The probability of a token according to the model alone: before penalties, biases and sampling. */
export interface TokenProbability {
  /** The bytes of the token; not always complete characters. */
  readonly bytes: readonly number[];
  readonly logprob: number;
}

export interface TokenLogprob extends TokenProbability {
  readonly top: readonly TokenProbability[];
}

export interface PromptCandidate extends TokenProbability {
  readonly token: number;
}

export interface PromptToken {
  readonly token: number;
  readonly bytes: readonly number[];
  /** Absent for the first token: nothing precedes it. */
  readonly logprob?: number;
  /** The place of the token among all, the likeliest first, from 1 on. */
  readonly rank?: number;
  readonly top: readonly PromptCandidate[];
  /** How far the distribution is from the one in `baseline`: a Kullback-Leibler divergence in nats. */
  readonly divergence?: number;
  /** Whether both have the same likeliest token. */
  readonly sameTop?: boolean;
}

/** The next tokens of a prompt, in order, after a pass that evaluated them. */
export interface PromptEvent {
  readonly type: 'prompt';
  readonly id: number;
  readonly tokens: readonly PromptToken[];
  /** One after the other, in base64. Only with `wantDistributions`. */
  readonly distributions?: string;
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
  /** Generated tokens up to the closing tag of the thinking, and including it. Absent: the input has no `thinking`. */
  readonly thinkingTokens?: number;
  readonly generateNanoseconds: number;
  /** Tokens that speculation drafted, and those of them that were right. Absent: none was drafted. */
  readonly draftedTokens?: number;
  readonly acceptedTokens?: number;
  /** The same for tokens that a draft model or a prediction head drafted. Absent: none. */
  readonly modelDraftedTokens?: number;
  readonly modelAcceptedTokens?: number;
  /** The same for tokens of the prediction. Absent: none. */
  readonly predictedTokens?: number;
  readonly predictedAcceptedTokens?: number;
  /** Tokens that no text was sent for. Only with `promptLogprobs`. */
  readonly logprobs?: readonly TokenLogprob[];
  readonly context?: readonly number[];
  /** The tokens after the last piece, if the request wants them. */
  readonly tokenIds?: readonly number[];
}

export interface FailedEvent {
  readonly type: 'failed';
  readonly id: number;
  /** `bad_request`, `prompt_too_long`: the request is invalid. `request_failed`: the engine failed. */
  readonly code: 'bad_request' | 'prompt_too_long' | 'request_failed';
  readonly message: string;
}

/** Some of the requested vectors, in any order; each is sent once. */
export interface EmbeddedEvent {
  readonly type: 'embedded';
  readonly id: number;
  readonly vectors: readonly EmbeddedText[];
}

interface DetokenizedEvent {
  readonly type: 'detokenized';
  readonly id: number;
  readonly text: string;
  /** The bytes of each token, if the command wants them. They are not always complete characters. */
  readonly pieces?: readonly (readonly number[])[];
}

export interface EmbeddedText {
  /** Index of the text. */
  readonly index: number;
  /** Tokens evaluated, including special tokens. */
  readonly tokens: number;
  /** 32-bit floats, little-endian, in base64. As pooled by the model, not normalized; of a reranker, its scores. */
  readonly vector: string;
}

/** Blocks that follow each other in a prompt. */
export interface StoredBlocks {
  /** A number for each block, which covers the tokens before it. */
  readonly hashes: readonly number[];
  /** The block before the first one. Absent: the first block begins a prompt. */
  readonly parent?: number | undefined;
  readonly tokens: readonly number[];
}

/** What the prefix cache has since the last event, and what it has not any more. Sent after steps that changed it. */
export interface BlocksEvent {
  readonly type: 'blocks';
  /** Tokens of a block. */
  readonly blockSize: number;
  readonly stored: readonly StoredBlocks[];
  readonly removed: readonly number[];
}

export type RunnerEvent =
  /** The runner has started and waits for `load`. */
  | { readonly type: 'hello'; readonly protocol: number }
  /** The backends are loaded; the model follows. A load that ends earlier failed because of the backends. */
  | { readonly type: 'opened' }
  /** The weights are in memory; a short first decode follows. A runner that dies before `loaded` died in this warm-up.
   * `devices`: GPUs that hold part of the model. */
  | { readonly type: 'warming'; readonly devices: readonly DeviceInfo[] }
  | LoadedEvent
  | { readonly type: 'load-failed'; readonly message: string }
  | MemoryEvent
  | StartedEvent
  | PromptEvent
  | ProgressEvent
  /** New text of one or more requests, produced by one or a few steps. */
  | { readonly type: 'text'; readonly pieces: readonly TextPiece[] }
  | DoneEvent
  | FailedEvent
  | { readonly type: 'counted'; readonly id: number; readonly tokens: number }
  | { readonly type: 'tokenized'; readonly id: number; readonly tokens: readonly number[] }
  | DetokenizedEvent
  | EmbeddedEvent
  /** The counters since the load; sent whenever the runner becomes idle. */
  | { readonly type: 'counters'; readonly counters: Counters }
  /** The size of the prefix cache in main memory; sent after each step that changed it. Zero before the first one. */
  | { readonly type: 'prefixes'; readonly bytes: number }
  | BlocksEvent
  /** The runner has written a file of the prefix cache. */
  | { readonly type: 'stored' }
  | { readonly type: 'pong' };
