// Probabilities in the older form of /v1/completions: parallel lists.

import { type ReportedToken, toTokenBody } from '../../ollama/generation/generation-fields.ts';
import type { CompletionLogprobs } from './completions-schema.ts';

/** `start`: where the answer begins in the text that is sent. */
export function createCompletionLogprobs(start: number): (tokens: readonly ReportedToken[]) => CompletionLogprobs {
  let offset = start;
  return (tokens) => {
    const bodies = tokens.map(toTokenBody);
    return {
      tokens: bodies.map(({ token }) => token),
      token_logprobs: bodies.map(({ logprob }) => logprob),
      top_logprobs: tokens.map(({ top }) =>
        Object.fromEntries(top.map(toTokenBody).map(({ token, logprob }) => [token, logprob])),
      ),
      text_offset: bodies.map(({ token }) => {
        const own = offset;
        offset += token.length;
        return own;
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
