import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addRange, type ByteRanges, countBytes, missingRanges, prefixLength } from './byte-ranges.ts';

const size = 60;
const range = fc.tuple(fc.nat(size), fc.nat(size)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

/** The positions of all bytes in the set. */
const bytesOf = (ranges: ByteRanges): number[] =>
  ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index));

test('ranges added in any order form the set of their bytes, in as few ranges as possible', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (added) => {
      const ranges = added.reduce(addRange, [] as ByteRanges);
      const expected = [...new Set(bytesOf(added))].sort((a, b) => a - b);
      expect(bytesOf(ranges)).toEqual(expected);
      expect(countBytes(ranges)).toBe(expected.length);
      ranges.slice(1).forEach(({ start }, index) => {
        expect(start).toBeGreaterThan((ranges[index] as { end: number }).end);
      });
      const missing = missingRanges(ranges, size);
      expect([...bytesOf(missing), ...expected].sort((a, b) => a - b)).toEqual(bytesOf([{ start: 0, end: size }]));
      const gap = Array.from({ length: size + 1 }, (_, byte) => byte).find((byte) => !expected.includes(byte));
      expect(prefixLength(ranges)).toBe(gap ?? size);
    }),
  );
});
