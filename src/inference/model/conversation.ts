// What a model is asked: to answer a conversation, or to complete a prompt.

import type { Message, Tool } from '../../formats/chat/message.ts';
import type { ThinkOption } from '../../models/think.ts';
import type { PromptLogprobsInput } from '../protocol/messages.ts';
import type { AnswerFormat } from './answer-format.ts';

export type { Message, MessageToolCall, Tool } from '../../formats/chat/message.ts';

/** A message whose images are base64 texts. */
export interface ConversationMessage extends Omit<Message, 'images'> {
  readonly encodedImages: readonly string[];
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** What both requests may ask for, besides the options of the options table. */
export interface GenerationOptions {
  /** The number of most likely tokens to report for each token; absent: no log probabilities. */
  readonly topLogprobs?: number;
  /** Absent: the tokens of the prompt are not reported. */
  readonly promptLogprobs?: PromptLogprobsInput;
  /** The prompt is evaluated, and nothing is generated. */
  readonly promptOnly?: boolean;
  /** The numbers of the tokens of prompt and answer are reported. */
  readonly tokenIds?: boolean;
  /** The progress of a long prompt is reported. */
  readonly promptProgress?: boolean;
  /** The events of tokens are passed on, for their counts. */
  readonly tokenCounts?: boolean;
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
  /** False: generation ends when the context is full. */
  readonly shift?: boolean;
  /** False: a prompt that is longer than the context is an error. */
  readonly truncate?: boolean;
  /** Absent: models that can think do so. */
  readonly think?: ThinkOption;
  /** A model that cannot think ignores `think`. Otherwise that is an error. */
  readonly thinkIfAble?: boolean;
  /** Template variables of the request, in addition to those that the server sets. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** Maximum number of tokens to think; absent: no limit but `numPredict`. */
  readonly thinkingBudget?: number;
  /** A text that the answer probably repeats, for example a file with few changes. Speeds up the answer. */
  readonly prediction?: string;
  /** Absent: the answer is not constrained. */
  readonly format?: AnswerFormat;
  /** The conversation that the body of the request names, as a hash. Absent: what the headers name. */
  readonly session?: string | undefined;
}

export interface Conversation extends GenerationOptions {
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly Tool[];
  /** Absent: the model decides whether to call one. */
  readonly toolChoice?: ToolChoice;
  /** False: an answer has at most one tool call. */
  readonly parallelCalls?: boolean;
  /** True: system messages in the middle of the conversation stay there, with every template. */
  readonly systemInPlace?: boolean;
}

export interface Completion extends GenerationOptions {
  readonly prompt: string;
  /** The text after the gap to fill; empty: there is no gap. */
  readonly suffix: string;
  /** Empty: the model's own. */
  readonly system: string;
  /** Tokens that precede the prompt: those of an earlier answer. */
  readonly context: readonly number[];
  /** The complete prompt as tokens; replaces all other fields. */
  readonly promptTokens?: readonly number[];
  /** The prompt is used as it is, without the template. */
  readonly raw: boolean;
  /** The answer fills a gap in a text, which changes how unlikely ends are treated. */
  readonly fillsGap?: boolean;
  readonly encodedImages: readonly string[];
}
