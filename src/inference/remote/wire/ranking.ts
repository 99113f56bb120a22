// Requests to rerank documents, and their answers.

import type { Ranking, RankRequest } from '../../model/vectors.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { toCount, toList, toObject } from '../json/json-fields.ts';
import type { Target } from '../remote-target.ts';
import { boundTokens } from './bound-counts.ts';
import type { JsonRequest } from './embeddings.ts';

/** Remotes only rank. */
type PairRequest = Pick<RankRequest, 'documents'> & { readonly query: string };

export function toRankRequest({ model }: Target, { query, documents }: PairRequest): JsonRequest {
  const body = { model, query, documents, top_n: documents.length, return_documents: false };
  // Some servers send the documents back.
  const bytes = documents.reduce((sum, text) => sum + 2 * Buffer.byteLength(text), 0);
  return { path: '/v1/rerank', body, answerLimits: { maxBytes: 8 * 2 ** 20 + bytes, maxValues: 300_000 } };
}

export function readRanking(answer: unknown, { query, documents }: PairRequest, remote: string): Ranking {
  const count = documents.length;
  const { results, usage } = toObject(answer);
  const scores = new Array<number>(count).fill(Number.NaN);
  for (const entry of toList(results).map(toObject)) {
    const { index, relevance_score: score } = entry;
    if (Number.isInteger(index) && (index as number) >= 0 && (index as number) < count)
      scores[index as number] = Number(score);
  }
  if (scores.some(Number.isNaN)) throw brokenAnswer(remote, `did not send ${count} scores`);
  // Only the sum is known.
  const reported = toCount(toObject(usage)['total_tokens']) || toCount(toObject(usage)['prompt_tokens']);
  // Each document is evaluated together with the query.
  const total = boundTokens(
    reported,
    documents.map((text) => query + text),
  );
  return { scores, tokens: scores.map((_, index) => (index === 0 ? total : 0)) };
}
