// What a remote sends while it answers, in one form for all kinds of remotes.

import type { MessageToolCall } from '../../model/conversation.ts';
import type { TokenLogprob } from '../../protocol/messages.ts';
import type { WireObject } from '../json/json-fields.ts';

export type AnswerPart =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
      /** How many pieces the remote sent it in; 1 if absent. */
      readonly pieces?: number;
    }
  | { readonly type: 'thinking'; readonly text: string; readonly pieces?: number }
  | { readonly type: 'tool-calls'; readonly calls: readonly MessageToolCall[] }
  | {
      readonly type: 'usage';
      readonly promptTokens: number;
      readonly cachedTokens: number;
      readonly generatedTokens: number;
      /** Absent: the remote does not measure them. */
      readonly promptNanoseconds?: number;
      readonly generateNanoseconds?: number;
    }
  | { readonly type: 'finish'; readonly reason: 'stop' | 'length'; readonly stopSequence?: string };

/** Reads the objects of one answer. Throws `remote_failed` if one of them is an error. */
export interface AnswerReader {
  push(object: WireObject): AnswerPart[];
}

/** Only vLLM has a limit for thinking. */
export function ignoredBudget({ thinkingBudget }: { readonly thinkingBudget?: number }): string[] {
  return thinkingBudget === undefined ? [] : ['thinking_budget'];
}

/** For servers whose templates cannot be told anything. `meant`: variables that the request says otherwise. */
export function ignoredVariables(
  { templateVariables = {} }: { readonly templateVariables?: object },
  meant: readonly string[] = [],
): string[] {
  const names = Object.keys(templateVariables).filter((name) => !meant.includes(name));
  return names.map((name) => `chat_template_kwargs.${name}`);
}

/** A request to a remote. */
export interface WireRequest {
  readonly path: string;
  readonly body: object;
  /** Options that the remote does not have, by the names that requests use. */
  readonly ignored: readonly string[];
  /** Stop sequences that the remote does not look for. */
  readonly ownStops: readonly string[];
}
