import { expect, test } from 'vitest';
import { fileTypeName, formatParameterCount } from './details.ts';

test.each([
  [29_365_760, '29.37M'],
  [8_030_261_248, '8.0B'],
  [7_000_000_000, '7B'],
  [125_000_000, '125M'],
  [125_004_000, '125.00M'],
  [2_250_000, '2.25M'],
  [1_250_000_000, '1.2B'],
  [1_750_000_000, '1.8B'],
  [1_150_000_000, '1.1B'],
  [2_500, '2K'],
  [3_500, '4K'],
  [1_500, '2K'],
  [12, '12'],
])('%d parameters are %s', (count, text) => {
  expect(formatParameterCount(count)).toBe(text);
});

test('file types map to their names, others to "unknown"', () => {
  expect([7, 15, 1, 0, undefined, 'x'].map(fileTypeName)).toEqual([
    'Q8_0',
    'Q4_K_M',
    'F16',
    'unknown',
    'unknown',
    'unknown',
  ]);
});
