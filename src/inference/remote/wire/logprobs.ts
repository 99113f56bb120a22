// Log probabilities in the forms that remotes send.

import type { TokenLogprob } from '../../protocol/messages.ts';
import { toList, toObject, toText, type WireObject } from '../json/json-fields.ts';

type TokenProbability = TokenLogprob['top'][number];

const maxTop = 20;
// What servers send for a token that is impossible.
const leastLogprob = -9999;

/** The entries of OpenAI's chat, and of Ollama. */
export function readLogprobs(entries: readonly unknown[]): TokenLogprob[] {
  return entries.map(toObject).map((entry) => ({
    ...readProbability(entry),
    top: toList(entry['top_logprobs']).slice(0, maxTop).map(toObject).map(readProbability),
  }));
}

function readProbability(entry: WireObject): TokenProbability {
  const bytes = toList(entry['bytes']).filter(isByte);
  return {
    bytes: bytes.length > 0 ? bytes : bytesOf(toText(entry['token'])),
    logprob: toLogprob(entry['logprob']),
  };
}

/** The parallel lists of OpenAI's completions. */
export function readCompletionLogprobs(logprobs: WireObject): TokenLogprob[] {
  if (Array.isArray(logprobs['content'])) return readLogprobs(logprobs['content']);
  const values = toList(logprobs['token_logprobs']);
  const tops = toList(logprobs['top_logprobs']);
  return toList(logprobs['tokens']).map((token, index) => ({
    bytes: bytesOf(toText(token)),
    logprob: toLogprob(values[index]),
    top: Object.entries(toObject(tops[index]))
      .slice(0, maxTop)
      .map(([text, logprob]) => ({ bytes: bytesOf(text), logprob: toLogprob(logprob) })),
  }));
}

function bytesOf(text: string): number[] {
  return [...Buffer.from(text)];
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

function toLogprob(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : leastLogprob;
}
