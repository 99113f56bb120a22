// Log probabilities in the form of /v1/completions: parallel arrays.

import type { PromptToken } from '../../../../inference/model/answer-event.ts';
import { type ReportedToken, toTokenBody } from '../../shared/logprob-bodies.ts';
import { tokenText } from '../../shared/prompt-logprobs.ts';
import type { CompletionLogprobs } from './completions-schema.ts';

/** `textStart`: the offset of the completion in the text of the response. */
export function createCompletionLogprobs(textStart: number): (tokens: readonly ReportedToken[]) => CompletionLogprobs {
  let offset = textStart;
  return (tokens) => {
    const bodies = tokens.map(toTokenBody);
    return {
      tokens: bodies.map(({ token }) => token),
      token_logprobs: bodies.map(({ logprob }) => logprob),
      top_logprobs: tokens.map(({ top }) =>
        Object.fromEntries(top.map(toTokenBody).map(({ token, logprob }) => [token, logprob])),
      ),
      text_offset: bodies.map(({ token }) => {
        const start = offset;
        offset += token.length;
        return start;
      }),
    };
  };
}

/** The tokens of a prompt, whose text is repeated. `top`: the number of the likeliest tokens, without the token itself. */
export function createEchoLogprobs(text: string, top: number): (tokens: readonly PromptToken[]) => CompletionLogprobs {
  const offsetOf = createOffsets(Buffer.from(text));
  return (tokens) => ({
    tokens: tokens.map(({ bytes }) => tokenText(bytes)),
    token_logprobs: tokens.map(({ logprob }) => logprob ?? null),
    top_logprobs: tokens.map((token) => toTop(token, top)),
    text_offset: tokens.map(({ bytes }) => offsetOf(Buffer.from(bytes))),
  });
}

function toTop({ bytes, logprob, top }: PromptToken, count: number): Record<string, number> | null {
  if (logprob === undefined) return null;
  const likeliest = top
    .slice(0, count)
    .map((candidate): [string, number] => [tokenText(candidate.bytes), candidate.logprob]);
  return { ...Object.fromEntries(likeliest), [tokenText(bytes)]: logprob };
}

const space = 0x20;

/**
 * Where each token begins in the text, in characters. A token that is not in the text takes no room, such as the one that begins
 * a text. Some tokenizers add a space to the first word.
 */
function createOffsets(text: Buffer): (token: Buffer) => number {
  let at = 0;
  let characters = 0;
  const isNext = (token: Buffer): boolean => text.subarray(at, at + token.length).equals(token);
  return (token) => {
    const start = characters;
    const found = [token, ...(token[0] === space ? [token.subarray(1)] : [])].find(isNext);
    for (const byte of found ?? []) characters += unitsBegunBy(byte);
    at += found?.length ?? 0;
    return start;
  };
}

/** UTF-16 code units of the character that a byte of UTF-8 begins. */
function unitsBegunBy(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}

/** The log probabilities of all parts, in order. */
export function joinLogprobs(parts: readonly CompletionLogprobs[]): CompletionLogprobs | null {
  if (parts.length === 0) return null;
  return {
    tokens: parts.flatMap(({ tokens }) => tokens),
    token_logprobs: parts.flatMap(({ token_logprobs }) => token_logprobs),
    top_logprobs: parts.flatMap(({ top_logprobs }) => top_logprobs),
    text_offset: parts.flatMap(({ text_offset }) => text_offset),
  };
}
