import { expect, test } from 'vitest';
import { formatUsage } from './feature.ts';

const sum = {
  requests: 12,
  failed: 1,
  prompt_tokens: 3400,
  cached_tokens: 1200,
  generated_tokens: 560,
  duration_ms: 61_500,
};
const used = { last_used_at: '2026-11-16T12:00:00.000Z' };

test('usage is a table, with a total if there are several groups', () => {
  const groups = [
    { name: 'anna', ...sum, ...used },
    { name: '', ...sum, ...used, requests: 3 },
  ];
  expect(formatUsage({ by: 'key', groups, total: { ...sum, requests: 15 } }).split('\n')).toEqual([
    'KEY       REQUESTS    FAILED    PROMPT    CACHED    GENERATED    TIME',
    'anna      12          1         3400      1200      560          1m1.5s',
    'no key    3           1         3400      1200      560          1m1.5s',
    'total     15          1         3400      1200      560          1m1.5s',
    '',
  ]);
  expect(formatUsage({ by: 'key', groups: groups.slice(0, 1), total: sum })).not.toContain('total');
});

test('a narrow screen has fewer columns', () => {
  const table = formatUsage({ by: 'model', groups: [{ name: 'ember:latest', ...sum, ...used }], total: sum }, 50);
  expect(table.split('\n')[0]).toBe('MODEL         REQUESTS  FAILED  PROMPT  GENERATED');
});

test('without requests there is no table', () => {
  expect(formatUsage({ by: 'day', groups: [], total: sum })).toBe('No requests were recorded.\n');
});
