// A conversation for an engine that has the template of the model itself, such as a remote one: messages instead of a
// prompt.

import type { OptionValues } from '../../models/options.ts';
import type { ThinkOption } from '../../models/think.ts';

export interface ConversationMessage {
  readonly role: string;
  readonly content: string;
  /** PNG or JPEG files. */
  readonly images?: readonly Buffer[];
  readonly toolCalls?: readonly ConversationCall[];
  readonly thinking?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
}

export interface ConversationCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ConversationTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema. */
  readonly parameters?: unknown;
}

export type ConversationFormat =
  | { readonly type: 'json' }
  | { readonly type: 'schema'; readonly schema: object }
  | { readonly type: 'gbnf'; readonly grammar: string };

export interface ConversationRequest {
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly ConversationTool[];
  readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
  readonly parallelCalls: boolean;
  readonly format?: ConversationFormat;
  /** Absent: the model decides. */
  readonly think?: ThinkOption;
  /** Maximum tokens to think. */
  readonly thinkingBudget?: number;
  /** Only those that the request or the model sets. */
  readonly options: OptionValues;
  readonly topLogprobs?: number;
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
}
