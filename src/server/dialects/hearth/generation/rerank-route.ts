// POST /api/rerank. Ollama has no such route; the shape is the one that its clients expect.

import type { Route } from '../../../http/route.ts';
import type { Rerank } from '../../../services/generation/rerank.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { toRerankInput } from '../../shared/rerank-input.ts';
import { OllamaRerankRequestBody, OllamaRerankResponseBody } from './rerank-schema.ts';

export function ollamaRerankRoute(rerank: Rerank): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/rerank',
    summary: 'Order documents by their relevance to a query',
    metered: true,
    body: OllamaRerankRequestBody,
    response: OllamaRerankResponseBody,
    async handle(request): Promise<OllamaRerankResponseBody> {
      const { body, report, scope } = request;
      const input = toRerankInput(body as OllamaRerankRequestBody);
      const { results, ...counts } = await rerank({ ...input, report }, scope.signal);
      return {
        model: input.model.text,
        results: results.map(({ index, score }) => ({
          index,
          document: input.documents[index] ?? '',
          relevance_score: score,
        })),
        total_duration: counts.totalNanoseconds,
        load_duration: counts.loadNanoseconds,
        prompt_eval_count: counts.promptTokens,
      };
    },
  };
}
