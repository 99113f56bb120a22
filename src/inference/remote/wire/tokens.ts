// Requests to tokenize and detokenize, and their answers.

import { HearthError } from '../../../base/errors.ts';
import type { TokenizeOptions } from '../../model/model.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { toList, toObject } from '../json/json-fields.ts';
import { tokenizePaths } from '../probe/endpoint-facts.ts';
import type { Target } from '../remote-target.ts';
import type { JsonRequest } from './embeddings.ts';

// Tokens of a long text.
const answerLimits = { maxBytes: 16 * 2 ** 20, maxValues: 1_000_000 };

interface TokenInput extends TokenizeOptions {
  readonly text: string;
}

export function toTokenizeRequest(
  { facts: { kind }, model }: Target,
  { text, addSpecial, plain }: TokenInput,
): JsonRequest {
  const path = tokenizePaths[kind];
  if (plain && kind !== 'llama-server')
    throw new HearthError('unsupported', 'remotes of this kind recognize special tokens in every text');
  if (kind === 'ollama') return { path, body: { model, text, add_special: addSpecial }, answerLimits };
  if (kind === 'llama-server')
    return {
      path,
      body: { content: text, add_special: addSpecial, ...(plain ? { parse_special: false } : {}) },
      answerLimits,
    };
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
