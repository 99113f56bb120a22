// Log probabilities of prompts: `prompt_logprobs` of vLLM, which Hearth has, too. Neither has them in streams.

import { HearthError } from '../../../base/errors.ts';
import type { GenerateRequest } from '../../engine/ports.ts';
import type { PromptToken } from '../../protocol/messages.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { toCount, toList, toObject, toText, type WireObject } from '../json/json-fields.ts';
import type { EndpointFacts } from '../probe/endpoint-facts.ts';
import type { JsonRequest } from './embeddings.ts';
import type { WireRequest } from './wire-request.ts';

export type AskedScores = Pick<GenerateRequest, 'promptLogprobs' | 'promptOnly'>;

export function asksForScores({ promptLogprobs, promptOnly = false }: AskedScores): boolean {
  return promptLogprobs !== undefined || promptOnly;
}

/** Throws unless the endpoint has what is asked for. */
export function checkScores(
  { kind, hearth }: Pick<EndpointFacts, 'kind' | 'hearth'>,
  { promptLogprobs }: AskedScores,
  remote: string,
): void {
  if (promptLogprobs?.wantDistributions || promptLogprobs?.baseline !== undefined)
    throw new HearthError('unsupported', `the remote "${remote}" does not tell whole distributions of tokens`);
  if (kind !== 'vllm' && hearth === undefined)
    throw new HearthError('unsupported', `the remote "${remote}" does not support log probabilities of prompts`);
}

// A token with 20 others has about 1500 bytes.
const answerLimits = { maxBytes: 16 * 2 ** 20, maxValues: 1_000_000 };

export function toScoredRequest({ path, body }: WireRequest, { promptLogprobs, promptOnly }: AskedScores): JsonRequest {
  return {
    path,
    body: {
      ...body,
      stream: false,
      stream_options: undefined,
      prompt_logprobs: promptLogprobs?.top ?? 0,
      // The entries have the prompt's token among others.
      return_token_ids: true,
      // vLLM generates at least one.
      max_tokens: promptOnly ? 1 : (body as { readonly max_tokens?: number }).max_tokens,
    },
    answerLimits,
  };
}

/** A response as the last chunk of a stream would be. Without an answer if only the prompt is asked for. */
export function toLastChunk(response: WireObject, { promptOnly = false }: AskedScores): WireObject {
  const choice = toObject(toList(response['choices'])[0]);
  if (promptOnly) {
    const usage = { ...toObject(response['usage']), completion_tokens: 0 };
    return { usage, choices: [{ finish_reason: 'stop' }] };
  }
  return { ...response, choices: [{ ...choice, delta: choice['message'] }] };
}

/** The tokens of the prompt from the first that is asked for. `text`: the prompt; empty if it is not known. */
export function readPromptTokens(
  response: WireObject,
  { promptLogprobs = { top: 0, from: 0 }, text }: AskedScores & { readonly text: string },
  remote: string,
): PromptToken[] {
  const choice = toObject(toList(response['choices'])[0]);
  const entries = toList(choice['prompt_logprobs'] ?? response['prompt_logprobs']);
  const ids = toList(choice['prompt_token_ids'] ?? response['prompt_token_ids']);
  if (ids.length === 0)
    throw new HearthError(
      'unsupported',
      `the remote "${remote}" does not tell the tokens of prompts (return_token_ids)`,
    );
  if (ids.length !== entries.length || !ids.every(Number.isSafeInteger))
    throw brokenAnswer(remote, 'sent log probabilities that do not belong to the tokens of the prompt');
  const { top, from } = promptLogprobs;
  const tokens = entries.map((entry, index) => readToken(entry, { id: ids[index] as number, top, remote }));
  return withFirstText(tokens, text).slice(from);
}

/** The first token has no entry. Its text is what the others leave of the prompt. */
function withFirstText([first, ...others]: readonly PromptToken[], text: string): PromptToken[] {
  const rest = Buffer.concat(others.map(({ bytes }) => Buffer.from(bytes))).toString();
  if (first === undefined || !text.endsWith(rest)) return [...(first ? [first] : []), ...others];
  return [{ ...first, bytes: [...Buffer.from(text.slice(0, text.length - rest.length))] }, ...others];
}

interface TokenPlace {
  readonly id: number;
  readonly top: number;
  readonly remote: string;
}

function readToken(entry: unknown, { id, top, remote }: TokenPlace): PromptToken {
  // Nothing precedes the first token.
  if (entry === null) return { token: id, bytes: [], top: [] };
  const all = Object.entries(toObject(entry)).map(([token, value]) => readCandidate(Number(token), toObject(value)));
  const own = all.find(({ token }) => token === id);
  if (own === undefined || !all.every(({ logprob }) => Number.isFinite(logprob)))
    throw brokenAnswer(remote, 'sent log probabilities that do not belong to the tokens of the prompt');
  const likeliest = all.filter(({ rank }) => rank <= top).toSorted((a, b) => a.rank - b.rank);
  return { ...own, top: likeliest.map(({ token, bytes, logprob }) => ({ token, bytes, logprob })) };
}

function readCandidate(token: number, value: WireObject) {
  const { logprob } = value;
  return {
    token,
    bytes: [...Buffer.from(toText(value['decoded_token']))],
    // An impossible token; JSON has no infinity.
    logprob: logprob === null ? -9999 : Number(logprob),
    rank: toCount(value['rank']),
  };
}
