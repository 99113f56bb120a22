// GET and POST /api/evals: results of `hearth eval`, for the web page.

import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import type { EvalStore } from './eval-store.ts';
import {
  EvalsResponseBody,
  type JudgedCategory,
  StoredEvalResponseBody,
  StoreEvalRequestBody,
} from './evals-schema.ts';
import { wilsonInterval } from './sum-up.ts';

type Counts = StoreEvalRequestBody['results'][number]['categories'][number];

/** Two results of 64 categories have less. */
const maxBytes = 2 ** 16;

export function evalsRoutes(store: Pick<EvalStore, 'read' | 'add'>, clock: Clock): Route[] {
  const common = { dialect: ollamaDialect, path: '/api/evals', scope: 'manage', tag: 'Models' } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: 'List results of hearth eval',
      response: EvalsResponseBody,
      handle: async (): Promise<EvalsResponseBody> => {
        const { results, comparisons } = await store.read();
        return {
          results: results.map(({ time, categories, ...result }) => ({
            ...result,
            created_at: formatTimestamp(time),
            categories: categories.map(judge),
            all: judge(sumUpCounts(categories)),
          })),
          comparisons: comparisons.map(({ time, ...comparison }) => ({
            ...comparison,
            created_at: formatTimestamp(time),
          })),
        };
      },
    },
    {
      ...common,
      method: 'POST',
      summary: 'Store results of hearth eval',
      body: StoreEvalRequestBody,
      exactBody: true,
      maxBodyBytes: maxBytes,
      response: StoredEvalResponseBody,
      handle: async (request): Promise<StoredEvalResponseBody> => {
        const body = request.body as StoreEvalRequestBody;
        for (const [index, { categories }] of body.results.entries())
          if (categories.some(({ items, correct }) => correct > items))
            throw new HearthError('bad_request', `results[${index}]: a category has more right answers than questions`);
        return { kept: await store.add(body, clock.now(), request.scope.signal) };
      },
    },
  ];
}

function judge(counts: Counts): JudgedCategory {
  const { items, correct, duration, tokens } = counts;
  const { low, high } = wilsonInterval(correct, items);
  return {
    ...counts,
    accuracy: correct / items,
    interval: [low, high],
    tokens_per_second: duration === 0 ? 0 : (tokens / duration) * 1e9,
  };
}

function sumUpCounts(categories: readonly Counts[]): Counts {
  const sum = (name: 'items' | 'correct' | 'duration' | 'tokens'): number =>
    categories.reduce((total, counts) => total + counts[name], 0);
  return {
    category: 'all',
    items: sum('items'),
    correct: sum('correct'),
    duration: sum('duration'),
    tokens: sum('tokens'),
  };
}
