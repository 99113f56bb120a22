// The events of an answer, the same for every model: `started`, then what the model generates and what it consists of,
// then `done`; or an error.

import type { MessageToolCall } from '../../formats/chat/message.ts';
import type { RemoteReference } from '../../models/remote-reference.ts';
import type { PromptToken, TokenLogprob } from '../protocol/messages.ts';

export type { PromptToken } from '../protocol/messages.ts';

export type AnswerEvent =
  | AnswerStarted
  /** How much of a long prompt is evaluated, if the request asked for it. */
  | { readonly type: 'progress'; readonly evaluated: number; readonly total: number }
  | PromptTokens
  | AnswerTokens
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-calls'; readonly calls: readonly MessageToolCall[] }
  | AnswerDone;

export interface AnswerStarted {
  readonly type: 'started';
  readonly promptTokens: number;
  /** Prompt tokens that the prefix cache provided. */
  readonly cachedTokens: number;
  /** Cached tokens that were read from disk. */
  readonly diskTokens?: number;
  /** Tokens of a prompt longer than the context that were left out. */
  readonly droppedTokens: number;
  /** The number of messages that did not fit into the context. */
  readonly droppedMessages?: number;
  /** The prompt as the model gets it. A remote model renders its own; then these are the messages. */
  readonly prompt?: string;
  /** Where the model runs, if that is not this machine. */
  readonly remote?: RemoteReference;
  /** Schema keywords that the answer may not satisfy, if there are any. */
  readonly unenforced?: readonly string[];
  /** Fields and options of the request that have no effect on this model. */
  readonly ignored?: readonly string[];
  /** The tokens of the prompt, if the request asked for them. */
  readonly promptIds?: readonly number[];
}

/** The next tokens of the prompt, if the request asked for them. All of them come before the answer. */
interface PromptTokens {
  readonly type: 'prompt-tokens';
  readonly tokens: readonly PromptToken[];
  /** Packed, in base64. Only with `wantDistributions`. */
  readonly distributions?: string | undefined;
}

/** New tokens. The events that their text consists of follow, some of them later: a tag may be incomplete. */
export interface AnswerTokens {
  readonly type: 'tokens';
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[];
  /** The tokens, if the request asked for them. */
  readonly tokenIds?: readonly number[];
  /** Tokens of the answer so far; a lower bound if a remote does not count them. */
  readonly generatedTokens: number;
}

export interface AnswerDone {
  readonly type: 'done';
  readonly reason: 'stop' | 'length';
  /** The stop sequence that ended the answer, if one did. */
  readonly stopSequence?: string;
  readonly promptTokens: number;
  readonly promptNanoseconds: number;
  readonly generatedTokens: number;
  readonly generateNanoseconds: number;
  /** Prompt tokens that the prefix cache provided. */
  readonly cachedTokens: number;
  /** The part of `generatedTokens` that is thinking. */
  readonly thinkingTokens: number;
  /** Tokens that speculation drafted, and those that were right. Absent: none was drafted. */
  readonly draftedTokens?: number;
  readonly acceptedTokens?: number;
  /** The same for tokens that a draft model or a prediction head drafted. */
  readonly modelDraftedTokens?: number;
  readonly modelAcceptedTokens?: number;
  /** The same for tokens of the prediction. */
  readonly predictedTokens?: number;
  readonly predictedAcceptedTokens?: number;
  /** Tokens that no text was sent for, if the request asked for the tokens of its prompt, too. */
  readonly logprobs?: readonly TokenLogprob[];
  /** The tokens of prompt and answer, if the request asked for them. */
  readonly context?: readonly number[];
  /** The tokens after the last text, if the request asked for them. */
  readonly tokenIds?: readonly number[];
  /**
   * Schema keywords that the answer violates. Absent: it was not compared with a schema, because its grammar enforces
   * everything, or because it is incomplete or too large.
   */
  readonly violations?: readonly string[];
  /** Since the request arrived. */
  readonly totalNanoseconds: number;
  /** From the arrival of the request until the model was loaded. */
  readonly loadNanoseconds: number;
}
