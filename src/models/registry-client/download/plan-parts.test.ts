import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addRange, type ByteRanges } from '../../../base/files/byte-ranges.ts';
import { partSizeOf, planParts } from './plan-parts.ts';

const size = fc.integer({ min: 0, max: 200 });
const ranges = fc.array(fc.tuple(fc.nat(200), fc.nat(40)), { maxLength: 8 });

test('parts cover the missing ranges once, in order, within part boundaries', () => {
  fc.assert(
    fc.property(size, ranges, fc.integer({ min: 1, max: 50 }), (total, pairs, partSize) => {
      const have = pairs
        .map(([start, length]) => ({ start: Math.min(start, total), end: Math.min(start + length, total) }))
        .reduce(addRange, [] as ByteRanges);
      const parts = planParts({ size: total, have, partSize });
      const seen = new Array<number>(total).fill(0);
      for (const { start, end } of [...have, ...parts]) for (let at = start; at < end; at++) (seen[at] as number)++;
      expect(seen.every((count) => count === 1)).toBe(true);
      expect(parts.map(({ start }) => start)).toEqual(parts.map(({ start }) => start).toSorted((a, b) => a - b));
      for (const { start, end } of parts) {
        expect(end).toBeGreaterThan(start);
        expect(Math.floor(start / partSize)).toBe(Math.floor((end - 1) / partSize));
      }
    }),
  );
});

test('a resumed download has the same part boundaries', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(),
      (total, partSize, seed) => {
        const first = planParts({ size: total, have: [], partSize });
        const done = first.filter((_, index) => (seed >> (index % 30)) & 1);
        const rest = planParts({ size: total, have: done.reduce(addRange, [] as ByteRanges), partSize });
        expect(rest).toEqual(first.filter((part) => !done.includes(part)));
      },
    ),
  );
});

test.each([
  [0, 16],
  [500e6, 16],
  [2e9, 32],
  [8e9, 128],
  [400e9, 128],
])('%d bytes are split into parts of %d MiB', (bytes, mebibytes) => {
  expect(partSizeOf(bytes)).toBe(mebibytes * 2 ** 20);
});
