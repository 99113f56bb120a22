// POST /score and POST /v1/score: how well texts fit together, as vLLM has it, in the order of the request.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Route } from '../../http/route.ts';
import type { Rerank, Reranked } from '../../services/generation/rerank.ts';
import { openAiDialect } from '../shared/openai-dialect.ts';
import { readTexts } from '../shared/read-fields.ts';
import { toRerankInput } from '../shared/rerank-input.ts';
import { PairScoreRequestBody, PairScoreResponseBody } from './score-schema.ts';

export interface PairScoreServices {
  readonly rerank: Rerank;
  readonly newId: () => string;
  readonly clock: Clock;
}

// Each query is a request to the model.
const maxQueries = 128;

export function pairScoreRoutes(services: PairScoreServices): Route[] {
  return ['/v1/score', '/score'].map((path) => ({
    dialect: openAiDialect,
    method: 'POST',
    scope: 'infer',
    path,
    summary: 'Score pairs of texts',
    metered: true,
    tag: 'Rerank',
    body: PairScoreRequestBody,
    response: PairScoreResponseBody,
    handle: (request) => answer(services, request),
  }));
}

async function answer(
  { rerank, newId, clock }: PairScoreServices,
  { body: given, report, scope }: FastifyRequest,
): Promise<PairScoreResponseBody> {
  const body = given as PairScoreRequestBody;
  const { text_1, text_2, queries, documents, ...fields } = body;
  const questions = readTexts(text_1 ?? queries, 'text_1');
  const texts = readTexts(text_2 ?? documents, 'text_2');
  const ranked: Reranked[] = [];
  for (const { query, documents: some } of toGroups(questions, texts))
    ranked.push(await rerank({ ...toRerankInput({ ...fields, query, documents: some }), report }, scope.signal));
  const scores = ranked.flatMap(({ results }) => results.toSorted((a, b) => a.index - b.index));
  const prompt_tokens = ranked.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  return {
    id: `score-${newId()}`,
    object: 'list',
    created: Math.floor(clock.now() / 1000),
    model: body.model ?? '',
    data: scores.map(({ score }, index) => ({ index, object: 'score', score })),
    usage: { prompt_tokens, total_tokens: prompt_tokens },
  };
}

/** One query for all texts, or one for each. */
function toGroups(queries: readonly string[], texts: readonly string[]) {
  const [query = '', ...others] = queries;
  if (others.length === 0) return [{ query, documents: texts }];
  if (queries.length > maxQueries)
    throw new HearthError('bad_request', `more than ${maxQueries} queries in one request`);
  if (queries.length !== texts.length)
    throw new HearthError('bad_request', 'text_1 must be one text, or have as many texts as text_2');
  return queries.map((one, index) => ({ query: one, documents: [texts[index] ?? ''] }));
}
