// Into which pieces a download is cut: a function of what is missing. Pieces come in the order of the file, so that its
// digest can be computed close behind them, and end at multiples of one size, so that a download that is taken up again
// is cut in the same places.

import { type ByteRange, type ByteRanges, missingRanges } from '../../../base/byte-ranges.ts';

const minPart = 16 * 2 ** 20;
const maxPart = 128 * 2 ** 20;
const partsPerBlob = 64;

/** For a file of that size. */
export function partSizeOf(size: number): number {
  const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, size / partsPerBlob)));
  return Math.min(Math.max(wanted, minPart), maxPart);
}

export interface PartsInput {
  readonly size: number;
  readonly have: ByteRanges;
  readonly partSize: number;
}

export function planParts({ size, have, partSize }: PartsInput): ByteRange[] {
  return missingRanges(have, size).flatMap(({ start, end }) => {
    const parts: ByteRange[] = [];
    for (let at = start; at < end; ) {
      const border = Math.min((Math.floor(at / partSize) + 1) * partSize, end);
      parts.push({ start: at, end: border });
      at = border;
    }
    return parts;
  });
}
