// Sets of byte positions in a file, as sorted, disjoint, non-empty ranges. `end` is exclusive.

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type ByteRanges = readonly ByteRange[];

/** Adds a range; overlapping and adjacent ranges are merged. */
export function addRange(ranges: ByteRanges, added: ByteRange): ByteRanges {
  if (added.start >= added.end) return ranges;
  const before = ranges.filter(({ end }) => end < added.start);
  const after = ranges.filter(({ start }) => start > added.end);
  const touched = ranges.slice(before.length, ranges.length - after.length);
  const start = Math.min(added.start, touched[0]?.start ?? added.start);
  const end = Math.max(added.end, touched.at(-1)?.end ?? added.end);
  return [...before, { start, end }, ...after];
}

/** The ranges of a file of this size that are not in the set. */
export function missingRanges(ranges: ByteRanges, size: number): ByteRanges {
  const missing: ByteRange[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    if (at < start) missing.push({ start: at, end: start });
    at = end;
  }
  if (at < size) missing.push({ start: at, end: size });
  return missing;
}

export function countBytes(ranges: ByteRanges): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Number of bytes from the start of the file up to the first gap. */
export function prefixLength(ranges: ByteRanges): number {
  const [first] = ranges;
  return first?.start === 0 ? first.end : 0;
}
