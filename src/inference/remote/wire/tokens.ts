// Requests to tokenize and detokenize, and their answers.

import { brokenAnswer } from '../http/remote-error.ts';
import { toList, toObject } from '../json/json-fields.ts';
import { tokenizePaths } from '../probe/endpoint-facts.ts';
import type { Target } from '../remote-calls.ts';
import type { JsonRequest } from './embeddings.ts';

// Tokens of a long text.
const answerLimits = { maxBytes: 16 * 2 ** 20, maxValues: 1_000_000 };

interface TokenInput {
  readonly text: string;
  readonly addSpecial: boolean;
}

export function toTokenizeRequest({ facts: { kind }, model }: Target, { text, addSpecial }: TokenInput): JsonRequest {
  const path = tokenizePaths[kind];
  if (kind === 'ollama') return { path, body: { model, text, add_special: addSpecial }, answerLimits };
  if (kind === 'llama-server') return { path, body: { content: text, add_special: addSpecial }, answerLimits };
  return { path, body: { model, prompt: text, add_special_tokens: addSpecial }, answerLimits };
}

export function toDetokenizeRequest({ facts: { kind }, model }: Target, tokens: readonly number[]): JsonRequest {
  return { path: tokenizePaths[kind].replace('tokenize', 'detokenize'), body: { model, tokens }, answerLimits };
}

export function readTokenized(answer: unknown, remote: string): number[] {
  const tokens = toList(toObject(answer)['tokens']);
  if (tokens.every(Number.isSafeInteger)) return tokens as number[];
  throw brokenAnswer(remote, 'sent tokens that are not numbers');
}

export function readDetokenized(answer: unknown, remote: string): string {
  const { text, prompt, content } = toObject(answer);
  const found = text ?? prompt ?? content;
  if (typeof found === 'string') return found;
  throw brokenAnswer(remote, 'sent no text');
}
