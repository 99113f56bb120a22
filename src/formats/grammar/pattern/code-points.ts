// Sets of characters: sorted ranges of code points with gaps between them. Surrogates are never included.

export type CodePoints = readonly (readonly [from: number, to: number])[];

export const allCodePoints: CodePoints = [
  [0, 0xd7ff],
  [0xe000, 0x10_ffff],
];

export function unite(...sets: readonly CodePoints[]): CodePoints {
  const sorted = sets.flat().sort((a, b) => a[0] - b[0]);
  const result: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

export function intersect(a: CodePoints, b: CodePoints): CodePoints {
  const result: [number, number][] = [];
  let left = 0;
  let right = 0;
  while (left < a.length && right < b.length) {
    const [fromA, toA] = a[left] as [number, number];
    const [fromB, toB] = b[right] as [number, number];
    if (Math.max(fromA, fromB) <= Math.min(toA, toB)) result.push([Math.max(fromA, fromB), Math.min(toA, toB)]);
    if (toA < toB) left++;
    else right++;
  }
  return result;
}

export function negate(set: CodePoints): CodePoints {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  gaps.push([next, 0x10_ffff]);
  return intersect(allCodePoints, gaps);
}

export function includes(set: CodePoints, codePoint: number): boolean {
  return set.some(([from, to]) => from <= codePoint && codePoint <= to);
}

export function codePointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number);
}

export function singlePoint(codePoint: number): CodePoints {
  return [[codePoint, codePoint]];
}
