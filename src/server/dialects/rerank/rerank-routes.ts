// POST /v1/rerank, /rerank, /v1/reranking, /reranking and /v2/rerank. Jina, Cohere, vLLM, llama-server and TEI have these
// paths, and clients of each send their own fields. The paths differ only in the shape of their errors.

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiDialect } from '../../http/dialect.ts';
import type { Route } from '../../http/route.ts';
import type { Reranked } from '../../services/generation/rerank.ts';
import { openAiDialect } from '../shared/openai-dialect.ts';
import { toRerankInput } from '../shared/rerank-input.ts';
import { type ClassifyServices, classifyRoutes } from './classify-routes.ts';
import { cohereDialect } from './cohere-dialect.ts';
import { RerankRequestBody, RerankResponseBody, TeiRerankResponseBody } from './rerank-schema.ts';
import { type PairScoreServices, pairScoreRoutes } from './score-routes.ts';

interface RerankRouteServices extends PairScoreServices, ClassifyServices {
  /** The model of a request that names none. */
  readonly findReranker: () => Promise<string>;
}

const paths: Readonly<Record<string, ApiDialect>> = {
  '/v1/rerank': openAiDialect,
  '/v1/reranking': openAiDialect,
  '/rerank': openAiDialect,
  '/reranking': openAiDialect,
  '/v2/rerank': cohereDialect,
};

export function rerankRoutes(services: RerankRouteServices): Route[] {
  const ranking = Object.entries(paths).map(
    ([path, dialect]): Route => ({
      dialect,
      method: 'POST',
      scope: 'infer',
      path,
      summary: 'Order documents by their relevance to a query',
      metered: true,
      tag: 'Rerank',
      body: RerankRequestBody,
      response: Type.Union([RerankResponseBody, TeiRerankResponseBody]),
      handle: (request) => answer(services, request),
    }),
  );
  return [...ranking, ...pairScoreRoutes(services), ...classifyRoutes(services)];
}

async function answer(
  { rerank, findReranker, newId }: RerankRouteServices,
  request: FastifyRequest,
): Promise<RerankResponseBody | TeiRerankResponseBody> {
  const { report, scope } = request;
  const body = request.body as RerankRequestBody;
  const { texts, model = await findReranker() } = body;
  const input = toRerankInput({ ...body, model, ...(texts === undefined ? {} : { documents: texts }) });
  const reranked = await rerank({ ...input, report }, scope.signal);
  if (texts !== undefined) return toTeiBody(reranked, body.return_text ? texts : undefined);
  const results = toResults(reranked, body.return_documents === false ? undefined : input.documents);
  return { id: `rerank-${newId()}`, object: 'list', model, results, ...toUsage(reranked) };
}

function toResults({ results }: Reranked, documents: readonly string[] | undefined): RerankResponseBody['results'] {
  return results.map(({ index, score }) => ({
    index,
    relevance_score: score,
    document: documents === undefined ? undefined : { text: documents[index] ?? '' },
  }));
}

function toTeiBody({ results }: Reranked, texts: readonly string[] | undefined): TeiRerankResponseBody {
  return results.map(({ index, score }) => ({
    index,
    score,
    text: texts === undefined ? undefined : (texts[index] ?? ''),
  }));
}

function toUsage({ promptTokens }: Reranked): Pick<RerankResponseBody, 'usage' | 'meta'> {
  return {
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    meta: { api_version: { version: '2' }, tokens: { input_tokens: promptTokens, output_tokens: 0 } },
  };
}
