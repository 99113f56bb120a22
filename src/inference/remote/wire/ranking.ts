// Requests to rerank documents, and their answers.

import type { Ranking, RankRequest } from '../../model/vectors.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { toCount, toList, toObject } from '../json/json-fields.ts';
import type { Target } from '../remote-calls.ts';
import type { JsonRequest } from './embeddings.ts';

export function toRankRequest({ model }: Target, { query, documents }: RankRequest): JsonRequest {
  return { path: '/v1/rerank', body: { model, query, documents, top_n: documents.length, return_documents: false } };
}

export function readRanking(answer: unknown, count: number, remote: string): Ranking {
  const { results, usage } = toObject(answer);
  const scores = new Array<number>(count).fill(Number.NaN);
  for (const entry of toList(results).map(toObject)) {
    const { index, relevance_score: score } = entry;
    if (Number.isInteger(index) && (index as number) >= 0 && (index as number) < count)
      scores[index as number] = Number(score);
  }
  if (scores.some(Number.isNaN)) throw brokenAnswer(remote, `did not send ${count} scores`);
  // Only the sum is known.
  const total = toCount(toObject(usage)['total_tokens']) || toCount(toObject(usage)['prompt_tokens']);
  return { scores, tokens: scores.map((_, index) => (index === 0 ? total : 0)) };
}
