import { expect, test } from 'vitest';
import { formatUsers } from './feature.ts';

test('users as a table, without characters that control the terminal', () => {
  const now = Date.parse('2026-01-01T00:05:00Z');
  const user = {
    name: 'anna\u001b[2J',
    id: '0123456789abcdef',
    scope: 'infer',
    state: 'active',
    created_at: '2026-01-01T00:00:00Z',
    confirmed_at: '2026-01-01T00:00:00Z',
    keys: ['anna.laptop'],
    tokens_today: 12,
    tokens_per_day: 1000,
    models: ['ember'],
  } as const;
  const table = formatUsers([user], now);
  expect(table).toMatch(/^NAME +SCOPE +STATE +KEYS +TOKENS TODAY +TOKENS\/DAY +REQUESTS\/MIN +MODELS +CONFIRMED/);
  expect(table).toMatch(/anna.* infer +active +1 +12 +1000 +ember +5 minutes ago/);
  expect(table).not.toContain('\u001b');
});
