// Requests with keys: quotas of tokens, the share of the slots, and separate prefix caches.

import { currentRequest } from '../../base/request/request-scope.ts';
import type { OpenTokenMeter } from '../../base/request/token-meter.ts';
import type { Caller } from '../../inference/local/prompt-model.ts';
import type { QuotaControl } from '../server-feature.ts';

/** Describes the caller of the current request. */
export function describeCaller(): Caller {
  const request = currentRequest();
  if (request === undefined) return {};
  const { id: requestId, client, partition, key } = request;
  return key === undefined
    ? { requestId, client, partition }
    : { requestId, client, partition: key.group, weight: key.weight };
}

/** Counts the tokens of requests with keys. */
export function createOpenTokenMeter(quotas: QuotaControl | undefined): OpenTokenMeter {
  return (expected) => {
    const key = currentRequest()?.key;
    return key === undefined || quotas === undefined ? unlimited : quotas.openMeter(key, expected);
  };
}

const unlimited = { count: () => true, close: () => {} };
