import { expect, test } from 'vitest';
import {
  formatByteSize,
  formatElapsed,
  formatMoment,
  formatSpan,
  formatTimeLeft,
  safeLine,
  safeText,
} from './format.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 KB'],
  [1500, '1.5 KB'],
  [9960, '10.0 KB'],
  [12_960, '12 KB'],
  [999_600, '999 KB'],
  [1_000_000, '1 MB'],
  [4_661_224_676, '4.7 GB'],
  [15_000_000_000, '15 GB'],
  [999_900_000_000, '999 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text);
});

const second = 1e3;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [999, 'Less than a second'],
  [second, '1 second'],
  [59.9 * second, '59 seconds'],
  [minute, 'About a minute'],
  [5 * minute, '5 minutes'],
  [hour, 'About an hour'],
  [89 * minute, 'About an hour'],
  [91 * minute, '2 hours'],
  [47 * hour, '47 hours'],
  [2 * day, '2 days'],
  [13.9 * day, '13 days'],
  [21 * day, '3 weeks'],
  [125 * day, '4 months'],
  [800 * day, '2 years'],
])('%d ms are %s', (milliseconds, text) => {
  expect(formatSpan(milliseconds)).toBe(text);
});

test('moments in the past and in the future', () => {
  expect(formatMoment(0, 3 * hour)).toBe('3 hours ago');
  expect(formatMoment(4 * minute, 0)).toBe('4 minutes from now');
});

test.each([
  [0, '0s'],
  [500, '500ns'],
  [1500, '1.5µs'],
  [12_300_000, '12.3ms'],
  [1_234_567_890, '1.23456789s'],
  [62_500_000_000, '1m2.5s'],
  [3_723_500_000_000, '1h2m3.5s'],
  [-1e9, '-1s'],
])('%d ns are %s', (nanoseconds, text) => {
  expect(formatElapsed(nanoseconds)).toBe(text);
});

test.each([
  [12_400, '12s'],
  [250 * second, '4m10s'],
  [62 * minute, '1h2m'],
  [100 * hour, '99h+'],
  [Number.POSITIVE_INFINITY, '99h+'],
])('%d ms left are shown as %s', (milliseconds, text) => {
  expect(formatTimeLeft(milliseconds)).toBe(text);
});

test('control characters are removed from untrusted text', () => {
  expect(safeText('a\u001b[31mb\u009b2J\u0007\tc\r\nd\u202ee')).toBe('a[31mb2J\tc\nde');
  expect(safeLine('model\n  not\tfound\r')).toBe('model not found');
});
