// Requests for embeddings, and their answers.

import type { Embeddings, EmbedRequest } from '../../model/vectors.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { toCount, toList, toObject } from '../json/json-fields.ts';
import type { Target } from '../remote-target.ts';
import { boundTokens } from './bound-counts.ts';

export interface JsonRequest {
  readonly path: string;
  readonly body: object;
  readonly answerLimits?: { readonly maxBytes: number; readonly maxValues: number };
}

/** Texts of one request: parsing the numbers of more would hold up other requests. */
export const maxTextsAtOnce = 32;
// A few hundred thousand numbers.
const answerLimits = { maxBytes: 8 * 2 ** 20, maxValues: 300_000 };

export function toEmbeddingRequest({ facts, model }: Target, { texts, truncate }: EmbedRequest): JsonRequest {
  if (facts.kind === 'ollama') return { path: '/api/embed', body: { model, input: texts, truncate }, answerLimits };
  // -1: at the length of the context. Other servers refuse a text that is too long.
  const limit = facts.kind === 'vllm' && truncate ? { truncate_prompt_tokens: -1 } : {};
  return { path: '/v1/embeddings', body: { model, input: texts, encoding_format: 'float', ...limit }, answerLimits };
}

/** `texts`: those of the request. */
export function readEmbeddings(answer: unknown, texts: EmbedRequest['texts'], remote: string): Embeddings {
  const count = texts.length;
  const { embeddings, data, usage, prompt_eval_count: promptTokens } = toObject(answer);
  const vectors = Array.isArray(embeddings) ? embeddings.map(toVector) : inOrder(toList(data), count);
  if (vectors.length !== count || vectors.some((vector) => vector === undefined || vector.length === 0))
    throw brokenAnswer(remote, `did not send ${count} embeddings`);
  // Only the sum is known.
  const total = boundTokens(toCount(promptTokens) || toCount(toObject(usage)['prompt_tokens']), texts);
  return { vectors: vectors as Float32Array[], tokens: vectors.map((_, index) => (index === 0 ? total : 0)) };
}

function inOrder(data: readonly unknown[], count: number): (Float32Array | undefined)[] {
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [place, entry] of data.map(toObject).entries()) {
    const index = typeof entry['index'] === 'number' ? entry['index'] : place;
    if (Number.isInteger(index) && index >= 0 && index < count) vectors[index] = toVector(entry['embedding']);
  }
  return vectors;
}

function toVector(value: unknown): Float32Array {
  return Float32Array.from(toList(value), Number);
}
