import { expect, test } from 'vitest';
import { formatAgo } from './format-ago.ts';

const now = Date.UTC(2026, 10, 16, 12);

test.each([
  ['2026-11-16T12:00:05Z', 'just now'],
  ['2026-11-16T11:59:30Z', 'just now'],
  ['2026-11-16T11:59:00Z', '1 minute ago'],
  ['2026-11-16T11:00:00+02:00', '3 hours ago'],
  ['2026-11-14T12:00:00Z', '2 days ago'],
  ['2026-11-01T12:00:00Z', '2 weeks ago'],
  ['2026-08-16T12:00:00Z', '3 months ago'],
  ['2024-11-16T12:00:00Z', '2 years ago'],
])('%s', (time, expected) => {
  expect(formatAgo(time, now)).toBe(expected);
});
