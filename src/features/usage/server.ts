// What is recorded about requests that ran a model: the usage log on disk, and the request log if it is on.

import type { FinishedRequest } from '../../server/http/request-end.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { RequestLog } from './log/request-log.ts';
import { createSharedUsage } from './log/shared-usage.ts';
import { createUsage } from './log/usage.ts';
import { createUsageFiles } from './log/usage-files.ts';
import type { UsageRecord } from './log/usage-record.ts';
import { requestLogRoute } from './request-log-route.ts';
import { usageRoute } from './usage-route.ts';

export const usageServer = toServerFeature({
  operations: {
    'GET /api/requests/log': {
      description:
        'Shows the last requests with their prompts and answers. The operator switches it on with HEARTH_REQUEST_LOG.',
      example: {},
    },
    'GET /api/usage': {
      description: 'Sums up requests, tokens and times by key, model or day, from the usage log on disk.',
      example: { query: { by: 'model', since: '7d' } },
    },
  },
  open({ settings, sharedState, clock, logger }) {
    const { usage: folder, usageSize: maxBytes } = settings;
    const home = sharedState
      ? createSharedUsage(sharedState.records, maxBytes)
      : createUsageFiles({ folder, maxBytes, clock });
    const usage = createUsage({ home, isOn: maxBytes > 0, clock, logger });
    const requestLog = new RequestLog(settings.requestLog);
    const keepsTexts = requestLog.maxRequests > 0;
    if (keepsTexts)
      logger.warn('the request log is on: the prompts and answers of the last requests are kept in memory', {
        requests: requestLog.maxRequests,
      });
    return {
      usage,
      requestLog,
      keepsTexts,
      recordRequest(request: FinishedRequest) {
        const record = toRecord(request, clock.now());
        usage.record(record);
        const { id, endpoint, exchanges } = request;
        if (keepsTexts) requestLog.add({ ...record, id, endpoint, exchanges });
      },
      start: usage.start,
      close: usage.close,
    };
  },
  routes: ({ usage, requestLog }, { clock }) => [requestLogRoute(requestLog), usageRoute(usage, clock)],
});

function toRecord(request: FinishedRequest, now: number): UsageRecord {
  const { key, keyId, model, alias, dialect, tokens, outcome, seconds } = request;
  const milliseconds = Math.round(seconds * 1000);
  return { time: now, key, keyId, model, alias, dialect: dialect.toLowerCase(), ...tokens, milliseconds, outcome };
}
