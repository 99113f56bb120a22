import { expect, test } from 'vitest';
import { formatBytes } from './format-bytes.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [26_000_000, '26 MB'],
  [4_700_000_000, '4.7 GB'],
])('%d', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
