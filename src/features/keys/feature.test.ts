import { expect, test } from 'vitest';
import { formatKeys, parseLifetimeMs } from './feature.ts';

const hour = 3_600_000;

test.each([
  ['12h', 12 * hour],
  ['90d', 90 * 24 * hour],
  ['52w', 52 * 7 * 24 * hour],
])('a key can be valid for %s', (text, expected) => {
  expect(parseLifetimeMs(text)).toBe(expected);
});

test.each(['', '0d', '-1d', '90', '1.5d', 'd', '1y', '999999d'])('%j is not a lifetime', (text) => {
  expect(() => parseLifetimeMs(text)).toThrow('such as 12h, 90d or 52w');
});

test('the list shows scopes, limits and expiry', () => {
  const now = Date.UTC(2030, 0, 10);
  const common = { id: '0', created_at: '2030-01-01T00:00:00Z', weight: 1 };
  const table = formatKeys(
    [
      { ...common, name: 'anna', scope: 'infer', models: ['llama*', 'ember'], requests_per_minute: 60 },
      { ...common, name: 'ops', scope: 'admin', models: [], expires_at: '2030-01-01T00:00:00Z' },
      { ...common, name: 'ci', scope: 'infer', models: [], expires_at: '2030-04-09T23:59:59Z' },
    ],
    now,
  );
  expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAME', 'SCOPE', 'MODELS', 'REQUESTS/MIN', 'TOKENS/DAY', 'WEIGHT', 'GROUP', 'EXPIRES'],
    ['anna', 'infer', 'llama*,ember', '60', '1', 'Never'],
    ['ops', 'admin', 'all', '1', 'Expired 9 days ago'],
    ['ci', 'infer', 'all', '1', '90 days from now'],
    [''],
  ]);
});
