// GET /api/usage

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { parseSince } from './log/parse-since.ts';
import type { UsageGrouping, UsageSum } from './log/sum-usage.ts';
import type { Usage } from './log/usage.ts';
import { UsageResponseBody, usageGroupingNames, usageQuery } from './usage-schema.ts';

export function usageRoute(usage: Pick<Usage, 'sum'>, clock: Clock): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    path: '/api/usage',
    scope: 'infer',
    tag: 'Server',
    summary: 'Sum up the requests that ran a model: those of your key, or all for an admin key',
    query: usageQuery,
    response: UsageResponseBody,
    handle: async ({ query, scope }): Promise<UsageResponseBody> => {
      const { by, since } = query as Readonly<Record<string, unknown>>;
      const grouping = readGrouping(by);
      const start = since === undefined ? undefined : parseSince(String(since), clock.now());
      const { groups, total } = await usage.sum(
        { by: grouping, since: start ?? Number.NEGATIVE_INFINITY, ...ownKey(scope) },
        scope.signal,
      );
      return {
        by: grouping,
        since: start === undefined ? undefined : formatTimestamp(start),
        groups: groups.map(({ name, ...sum }) => ({
          name,
          ...toSumBody(sum),
          last_used_at: formatTimestamp(sum.lastTime),
        })),
        total: toSumBody(total),
      };
    },
  };
}

function readGrouping(by: unknown = 'model'): UsageGrouping {
  const grouping = usageGroupingNames.find((name) => name === by);
  if (grouping === undefined) throw new HearthError('bad_request', 'by: must be key, model or day');
  return grouping;
}

/** A key sees its own requests, not those of an earlier key with its name. Without keys, everything is visible. */
function ownKey({ key }: FastifyRequest['scope']): { readonly keyId?: string } {
  return key === undefined || key.scope === 'admin' ? {} : { keyId: key.id };
}

function toSumBody(sum: UsageSum): UsageResponseBody['total'] {
  return {
    requests: sum.requests,
    failed: sum.failed,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    generated_tokens: sum.generatedTokens,
    duration_ms: sum.milliseconds,
  };
}
