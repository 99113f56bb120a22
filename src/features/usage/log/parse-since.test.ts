import { expect, test } from 'vitest';
import { parseSince } from './parse-since.ts';

const now = Date.UTC(2026, 10, 16, 12);
const hour = 3600 * 1000;

test.each([
  ['30m', now - hour / 2],
  ['12h', now - 12 * hour],
  ['7d', now - 7 * 24 * hour],
  ['4w', now - 28 * 24 * hour],
  ['2026-11-01', Date.UTC(2026, 10, 1)],
  ['2026-11-01T10:00:00Z', Date.UTC(2026, 10, 1, 10)],
  ['2026-11-01T10:00:00.5+02:00', Date.UTC(2026, 10, 1, 8, 0, 0, 500)],
])('%s', (text, expected) => {
  expect(parseSince(text, now)).toBe(expected);
});

test.each(['', '7', '7y', '-7d', '1.5d', 'd', '2026-13-01', '2026-11', 'yesterday', '99999999d', '7d '])(
  '%j is rejected',
  (text) => {
    expect(() => parseSince(text, now)).toThrow(/^since: ".*" is not a period such as 12h/);
  },
);
