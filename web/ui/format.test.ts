import { expect, test } from 'vitest';
import { formatAgo, formatRunTime, formatSize, formatSpeed } from './format.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 KB'],
  [2_000_000, '2 MB'],
  [12_960, '12 KB'],
  [999_600, '999 KB'],
  [26_000_000, '26 MB'],
  [4_700_000_000, '4.7 GB'],
])('%d', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

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

test.each([
  [0, '0'],
  [4.26, '4.3'],
  [123.4, '123'],
  [12_345, '12,345'],
])('a speed of %d is %s', (speed, text) => {
  expect(formatSpeed(speed)).toBe(text);
});

test.each([
  [-3, '0 s'],
  [59, '59 s'],
  [61, '1 min'],
  [7500, '2 h 5 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatRunTime(new Date(0).toISOString(), new Date(seconds * 1000).toISOString())).toBe(text);
});
