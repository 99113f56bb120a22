import { expect, test } from 'vitest';
import { formatLocalTimestamp, formatTimestamp } from './timestamp.ts';

const moment = Date.UTC(2026, 10, 15, 3, 50, 0, 120);

test('formatTimestamp writes UTC with milliseconds', () => {
  expect(formatTimestamp(moment)).toBe('2026-11-15T03:50:00.120Z');
});

test.each([
  [0, '2026-11-15T03:50:00.120Z'],
  [330, '2026-11-15T09:20:00.120+05:30'],
  [-300, '2026-11-14T22:50:00.120-05:00'],
])('an offset of %d minutes gives %s', (offset, expected) => {
  expect(formatLocalTimestamp(moment, offset)).toBe(expected);
});

test("formatLocalTimestamp in this machine's time zone denotes the same time", () => {
  expect(Date.parse(formatLocalTimestamp(moment))).toBe(moment);
});

test('the year that stands for "forever" can be formatted', () => {
  expect(formatTimestamp(Date.UTC(2318, 5, 1))).toBe('2318-06-01T00:00:00.000Z');
});
