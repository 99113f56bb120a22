// What the form for a new key means.

import type { CreateKeyRequestBody, KeyEntryBody } from '../../src/features/keys/keys-schema.ts';
import { t } from '../language/language.ts';
import { formatDate } from '../ui/format.ts';

/** As typed; empty fields have no limit. */
export interface KeyFields {
  readonly name: string;
  readonly scope: KeyEntryBody['scope'];
  readonly days: string;
  readonly requestsPerMinute: string;
  readonly tokensPerDay: string;
  readonly models: string;
}

const dayMs = 24 * 3600 * 1000;

export function toKeyRequest(fields: KeyFields, nowMs: number): CreateKeyRequestBody {
  const { name, scope, days, requestsPerMinute, tokensPerDay, models } = fields;
  const patterns = models.split(/[\s,]+/).filter((pattern) => pattern !== '');
  const end = toLimit(days);
  return {
    name: name.trim(),
    scope,
    expires_at: end === undefined ? undefined : new Date(nowMs + end * dayMs).toISOString(),
    requests_per_minute: toLimit(requestsPerMinute),
    tokens_per_day: toLimit(tokensPerDay),
    models: patterns.length === 0 ? undefined : patterns,
  };
}

function toLimit(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

/** Empty if there are none. */
export function describeLimits(
  key: Pick<KeyEntryBody, 'requests_per_minute' | 'tokens_per_day' | 'expires_at' | 'models'>,
): string {
  const { requests_per_minute: requests, tokens_per_day: tokens, expires_at: end, models } = key;
  return [
    requests === undefined ? '' : t('{count} requests/min', { count: requests }),
    tokens === undefined ? '' : t('{count} tokens/day', { count: tokens }),
    models.length === 0 ? '' : t('only {models}', { models: models.join(', ') }),
    end === undefined ? '' : t('until {date}', { date: formatDate(end) }),
  ]
    .filter((limit) => limit !== '')
    .join(', ');
}
