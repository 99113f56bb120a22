// An item of an evaluation: a prompt with the answer that is right.

import type { ChatRequestTool } from '../../server/dialects/ollama/generation/chat-schema.ts';

export interface ExpectedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Has one of these fields. */
export interface ItemCheck {
  /** The answer is one of these texts. White space around it, a final period and the case do not matter. */
  readonly exact?: string | readonly string[];
  /** The last number of the answer. */
  readonly number?: number;
  /** A regular expression that the answer matches, without the white space around it. */
  readonly pattern?: string;
  /** For `pattern`. */
  readonly ignoreCase?: boolean;
  /** The answer is JSON that this JSON schema accepts. */
  readonly schema?: unknown;
  /** The answer is this tool call. `null`: it calls no tool. */
  readonly call?: ExpectedCall | null;
}

interface AnyItem {
  readonly category: string;
  readonly prompt: string;
}

/** The likeliest choice is the answer. */
export interface ChoiceItem extends AnyItem {
  readonly choices: readonly string[];
  /** The index of the right choice. */
  readonly answer: number;
}

/** The model answers the prompt as a message. */
export interface AnswerItem extends AnyItem {
  readonly check: ItemCheck;
  readonly tools?: readonly ChatRequestTool[] | undefined;
  readonly maxTokens?: number | undefined;
}

export type EvalItem = ChoiceItem | AnswerItem;
