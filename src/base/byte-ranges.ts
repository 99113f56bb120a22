// Sets of bytes of a file, as ranges: sorted, apart from each other, never empty. A range ends before its `end`.

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type ByteRanges = readonly ByteRange[];

/** With the bytes of one more range; neighbours become one. */
export function addRange(ranges: ByteRanges, added: ByteRange): ByteRanges {
  if (added.start >= added.end) return ranges;
  const before = ranges.filter(({ end }) => end < added.start);
  const behind = ranges.filter(({ start }) => start > added.end);
  const touched = ranges.slice(before.length, ranges.length - behind.length);
  const start = Math.min(added.start, touched[0]?.start ?? added.start);
  const end = Math.max(added.end, touched.at(-1)?.end ?? added.end);
  return [...before, { start, end }, ...behind];
}

/** What is not in the set, of a file of that size. */
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

/** How far the file is there from its beginning without a gap. */
export function prefixLength(ranges: ByteRanges): number {
  const [first] = ranges;
  return first?.start === 0 ? first.end : 0;
}
