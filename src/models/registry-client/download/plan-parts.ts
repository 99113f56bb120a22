// Splits the missing ranges of a download into parts. Parts are in file order, so that the digest can be computed
// shortly behind them, and end at multiples of the part size, so that a resumed download has the same boundaries.

import { type ByteRange, type ByteRanges, missingRanges } from '../../../base/files/byte-ranges.ts';

const minPart = 16 * 2 ** 20;
const maxPart = 128 * 2 ** 20;
const partsPerBlob = 64;

/** The part size for a blob of this size. */
export function partSizeOf(size: number): number {
  const target = 2 ** Math.ceil(Math.log2(Math.max(1, size / partsPerBlob)));
  return Math.min(Math.max(target, minPart), maxPart);
}

export function planParts({
  size,
  have,
  partSize,
}: {
  readonly size: number;
  readonly have: ByteRanges;
  readonly partSize: number;
}): ByteRange[] {
  return missingRanges(have, size).flatMap(({ start, end }) => {
    const parts: ByteRange[] = [];
    for (let at = start; at < end; ) {
      const boundary = Math.min((Math.floor(at / partSize) + 1) * partSize, end);
      parts.push({ start: at, end: boundary });
      at = boundary;
    }
    return parts;
  });
}
