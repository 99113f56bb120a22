// Log probabilities of the tokens of a prompt, in the forms of vLLM and of Ollama.

import { HearthError } from '../../../base/errors.ts';
import type { AnswerStarted, PromptToken } from '../../../inference/model/answer-event.ts';
import type { LogprobBody, PromptLogprobBody, VllmPromptLogprob } from './logprobs-schema.ts';

// Entries of a response that is not a stream. It is written as one text, for which all other requests wait.
const maxEntries = 2 ** 17;

/** Call it with each prompt of a request. Throws if the response would be too large. */
export function createEntryLimit(top: number): (started: Pick<AnswerStarted, 'promptTokens'>) => void {
  let entries = 0;
  return ({ promptTokens }) => {
    entries += promptTokens * (1 + top);
    if (entries <= maxEntries) return;
    throw new HearthError(
      'bad_request',
      `the response would have more than ${maxEntries} log probabilities; send shorter prompts, or fewer of them`,
    );
  };
}

/** The token, and the likeliest ones. */
export function toVllmPromptLogprob(
  { token, bytes, logprob, rank, top }: PromptToken,
  count: number,
): VllmPromptLogprob | null {
  if (logprob === undefined) return null;
  const entries = top.slice(0, count).map((candidate, index) => ({ ...candidate, rank: index + 1 }));
  const all = entries.some((candidate) => candidate.token === token)
    ? entries
    : [{ token, bytes, logprob, rank: rank ?? 0 }, ...entries];
  return Object.fromEntries(
    all.map((entry) => [
      String(entry.token),
      { logprob: entry.logprob, rank: entry.rank, decoded_token: tokenText(entry.bytes) },
    ]),
  );
}

export function toPromptLogprobBody({ bytes, logprob, top }: PromptToken): PromptLogprobBody {
  const token = { token: tokenText(bytes), bytes, logprob: logprob ?? null };
  return top.length === 0 ? token : { ...token, top_logprobs: top.map(toBody) };
}

function toBody({ bytes, logprob }: PromptToken['top'][number]): LogprobBody {
  return { token: tokenText(bytes), logprob, bytes };
}

export function tokenText(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('utf8');
}
