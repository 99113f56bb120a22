// A model as the services see it, on this machine or at a remote: it answers conversations with events.

import type { Digest } from '../../base/digest.ts';
import type { RequestTimes } from '../../base/request/request-times.ts';
import type { RequestedModel } from '../../models/name.ts';
import type { OptionValues, ParsedOptions } from '../../models/options.ts';
import type { AnswerEvent } from './answer-event.ts';
import type { Completion, Conversation, Message } from './conversation.ts';
import type { DraftFile, ModelSource } from './model-source.ts';
import type { Transcribe } from './transcript.ts';
import type { Embeddings, EmbedRequest, Ranking, RankRequest } from './vectors.ts';

/**
 * One request's use of a model. The model is loaded when the request needs it, and not unloaded before the release.
 * Requests that the model cannot serve are refused before the load.
 */
export interface Model {
  readonly name: string;
  /** What the scores of a reranker are. Absent for other models. */
  readonly rankScores?: 'logits' | 'probabilities';
  /** The names of a classifier's outputs. Absent if its file has none. */
  readonly labels?: readonly string[] | undefined;
  /** Throws if the model cannot do the task. */
  load(signal: AbortSignal, task?: 'generate' | 'chat'): Promise<void>;
  answer(conversation: Conversation, signal: AbortSignal): AsyncIterable<AnswerEvent>;
  complete(completion: Completion, signal: AbortSignal): AsyncIterable<AnswerEvent>;
  /** The prompts that these requests would give to the model. Nothing is generated. */
  renderAnswer(conversation: Conversation, signal: AbortSignal): Promise<RenderedPrompt>;
  renderCompletion(completion: Completion, signal: AbortSignal): Promise<RenderedPrompt>;
  embed(request: EmbedRequest, signal: AbortSignal): Promise<Embeddings>;
  rank(request: RankRequest, signal: AbortSignal): Promise<Ranking>;
  /** Writes down speech. Absent: the model cannot. */
  readonly transcribe?: Transcribe;
  /** The number of tokens of the conversation as a prompt, even if it does not fit into the context. */
  countPrompt(conversation: Conversation, signal: AbortSignal): Promise<number>;
  tokenize(text: string, options: TokenizeOptions, signal: AbortSignal): Promise<readonly number[]>;
  /** Rejects with `bad_request` for a number that is not a token of the model. */
  detokenize(tokens: readonly number[], signal: AbortSignal): Promise<string>;
  piecesOf(tokens: readonly number[], signal: AbortSignal): Promise<TokenBytes>;
  /** The prompt that lets the model fill the gap. Rejects with `unsupported` if its vocabulary has no tokens for that. */
  tokenizeGap(gap: Gap, signal: AbortSignal): Promise<GapPrompt>;
  release(): void;
}

export interface TokenizeOptions {
  /** The special tokens that the model expects around a text are added. */
  readonly addSpecial: boolean;
  /** The names of control tokens are text like any other. */
  readonly plain?: boolean;
}

/** The bytes of each token. A character may be split between tokens. */
export type TokenBytes = readonly (readonly number[])[];

/** A gap in a text, such as at the cursor of an editor. */
export interface Gap {
  readonly before: string;
  /** The beginning of the line with the gap, which follows `before`. */
  readonly line: string;
  readonly after: string;
  /** Parts of other files, the most important last. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Tokens that the answer needs. */
  readonly answerTokens: number;
}

export interface GapPrompt {
  readonly tokens: readonly number[];
  readonly contextLength: number;
  /** Whether a part of the texts is missing. */
  readonly isCut: boolean;
}

export interface RenderedPrompt {
  readonly prompt: string;
  /** The number of images in the prompt. */
  readonly images: number;
}

export interface OpenRequest {
  readonly requested: RequestedModel;
  readonly model: OpenModel;
  readonly options: ParsedOptions;
  /** Used for options that neither the request nor the model sets. */
  readonly optionDefaults?: OptionValues;
  /** Empty: the model's own. */
  readonly template?: string;
  /** Infinity: never unload. Absent: the value that the model has. */
  readonly keepAliveMs?: number;
  /** When the request arrived: a time of the monotonic clock. */
  readonly startedAt: number;
  /** Learns when the request has the model. */
  readonly times?: Pick<RequestTimes, 'acquired'>;
  /** Finds the weights of another model, which the option draft_model names. */
  readonly findWeights: (name: string) => Promise<StoredDraft | undefined>;
  readonly onRelease: () => void;
}

export type OpenForRequest = (request: OpenRequest) => Promise<Model>;

/** A model as its files in the store describe it. */
export interface OpenModel {
  /** The name in lists. */
  readonly displayName: string;
  readonly files: ModelSource;
  /** The model's own draft model. */
  readonly draft: StoredDraft | undefined;
  /** The digests of those files. */
  readonly digests: readonly Digest[];
  /** Undefined if the model has no template layer. */
  readonly template: string | undefined;
  /** What writes the prompts instead of the template, and what reads the answers; empty if the template says it. */
  readonly renderer: string;
  readonly parser: string;
  /** The number of parameters as a text, such as `7.6B`; empty if unknown. */
  readonly parameterSize: string;
  readonly system: string;
  readonly options: OptionValues;
  /** The options as stored, with the names of Modelfile parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** For requests without a keep_alive. Infinity: never unload. Absent: the value of the settings. */
  readonly keepAliveMs?: number;
  readonly messages: readonly Message[];
  /** The model that its weights were taken from; empty if unknown. */
  readonly parentModel: string;
}

/** A file with the weights of a draft model. */
export interface StoredDraft extends DraftFile {
  readonly digest: Digest;
}
