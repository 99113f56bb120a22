import { expect, test } from 'vitest';
import { describeLimits, type KeyFields, toKeyRequest } from './key-request.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const empty: KeyFields = { name: '', scope: 'infer', days: '', requestsPerMinute: '', tokensPerDay: '', models: '' };

test('empty fields set no limits', () => {
  const body = JSON.stringify(toKeyRequest({ ...empty, name: ' anna ' }, nowMs));
  expect(JSON.parse(body)).toEqual({ name: 'anna', scope: 'infer' });
});

test('every field has its limit', () => {
  const fields = { days: '30', requestsPerMinute: '60', tokensPerDay: '100000', models: 'ember, qwen3:* ' };
  expect(toKeyRequest({ ...empty, name: 'a', scope: 'manage', ...fields }, nowMs)).toEqual({
    name: 'a',
    scope: 'manage',
    expires_at: '2026-01-31T00:00:00.000Z',
    requests_per_minute: 60,
    tokens_per_day: 100_000,
    models: ['ember', 'qwen3:*'],
  });
});

test('limits in words', () => {
  const key = { name: 'a', id: 'b', scope: 'infer', models: [], created_at: '', weight: 1 } as const;
  expect(describeLimits(key)).toBe('');
  const limits = { requests_per_minute: 60, tokens_per_day: 1000, expires_at: '2026-01-31T00:00:00Z' };
  expect(describeLimits({ ...key, ...limits, models: ['ember'] })).toBe(
    '60 requests/min, 1,000 tokens/day, only ember, until Jan 31, 2026',
  );
});
