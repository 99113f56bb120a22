// Log probabilities in the form of /v1/completions: parallel arrays.

import { type ReportedToken, toTokenBody } from '../../shared/logprob-bodies.ts';
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

export function joinLogprobs(first: CompletionLogprobs | null, second: CompletionLogprobs | null) {
  if (first === null || second === null) return first ?? second;
  return {
    tokens: [...first.tokens, ...second.tokens],
    token_logprobs: [...first.token_logprobs, ...second.token_logprobs],
    top_logprobs: [...first.top_logprobs, ...second.top_logprobs],
    text_offset: [...first.text_offset, ...second.text_offset],
  };
}
