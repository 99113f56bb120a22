// POST /api/score

import { isCount } from '../../../../base/json-values.ts';
import type { Route } from '../../../http/route.ts';
import type { Score, ScoredText } from '../../../services/generation/score.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { invalid } from '../../shared/read-fields.ts';
import { ScoreRequestBody, ScoreResponseBody } from './score-schema.ts';

export function scoreRoute(score: Score): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/score',
    summary: 'Compare how likely continuations of a text are',
    metered: true,
    body: ScoreRequestBody,
    response: ScoreResponseBody,
    async handle(request): Promise<ScoreResponseBody> {
      const { report, scope } = request;
      const body = request.body as ScoreRequestBody;
      const input = toModelInput(body);
      const context = readText(body.context ?? '', 'context');
      const continuations = readContinuations(body.continuations ?? []);
      const { scores, ...counts } = await score({ ...input, context, continuations, report }, scope.signal);
      return {
        model: input.model.text,
        scores: scores.map(({ logLikelihood, tokens, isGreedy }) => ({
          log_likelihood: logLikelihood,
          length: tokens,
          greedy: isGreedy,
        })),
        total_duration: counts.totalNanoseconds,
        load_duration: counts.loadNanoseconds,
        prompt_eval_count: counts.promptTokens,
        prompt_eval_cached_count: counts.cachedTokens,
      };
    },
  };
}

function readContinuations(given: unknown): ScoredText[] {
  if (!Array.isArray(given)) throw invalid('continuations', 'expected an array');
  return given.map((entry: unknown, index) => readText(entry, `continuations[${index}]`));
}

function readText(given: unknown, where: string): ScoredText {
  if (typeof given === 'string' || (Array.isArray(given) && given.every(isCount))) return given;
  throw invalid(where, 'expected a string, or an array of token ids');
}
