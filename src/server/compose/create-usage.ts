// What is recorded about requests that ran a model: the usage log on disk, and the request log if it is on.

import type { Settings } from '../../base/config/settings.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { FinishedRequest } from '../http/request-end.ts';
import { createRequestLog, type RequestLog } from '../services/usage/request-log.ts';
import { createUsage, type Usage } from '../services/usage/usage.ts';
import type { UsageRecord } from '../services/usage/usage-record.ts';

export interface UsageParts {
  readonly usage: Usage;
  readonly requestLog: RequestLog;
  readonly recordRequest: (request: FinishedRequest) => void;
}

export interface UsagePartsOptions {
  readonly settings: Pick<Settings, 'usage' | 'usageSize' | 'requestLog'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createUsageParts({ settings, clock, logger }: UsagePartsOptions): UsageParts {
  const usage = createUsage({ folder: settings.usage, maxBytes: settings.usageSize, clock, logger });
  const requestLog = createRequestLog({ maxRequests: settings.requestLog });
  if (requestLog.maxRequests > 0)
    logger.warn('the request log is on: the prompts and answers of the last requests are kept in memory', {
      requests: requestLog.maxRequests,
    });
  return {
    usage,
    requestLog,
    recordRequest(request) {
      const record = toRecord(request, clock.now());
      usage.record(record);
      const { id, endpoint, exchanges } = request;
      if (requestLog.maxRequests > 0) requestLog.add({ ...record, id, endpoint, exchanges });
    },
  };
}

function toRecord({ key, model, dialect, tokens, outcome, seconds }: FinishedRequest, now: number): UsageRecord {
  const milliseconds = Math.round(seconds * 1000);
  return { time: now, key, model, dialect: dialect.toLowerCase(), ...tokens, milliseconds, outcome };
}
