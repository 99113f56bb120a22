import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { growthOf, maxLinearGrowth } from '../../../../test/support/growth.ts';
import { type CodePoints, includes, intersect } from '../pattern/code-points.ts';
import type { FirstItem, FirstSet } from './first-sets.ts';
import { groupOverlapping } from './group-overlapping.ts';

vi.setConfig({ testTimeout: 60_000 });

const toSet = (firsts: readonly FirstItem[]): FirstSet => ({ firsts, mayBeEmpty: false });

function overlaps(a: FirstItem, b: FirstItem): boolean {
  if (typeof a === 'object' && 'except' in a)
    return typeof b === 'string' ? b[0] === '"' && !a.except.has(b.slice(1, -1)) : 'except' in b || includes(b, 0x22);
  if (typeof b === 'object' && 'except' in b) return overlaps(b, a);
  if (typeof a === 'string' && typeof b === 'string') return a.startsWith(b) || b.startsWith(a);
  if (typeof a === 'string') return includes(b as CodePoints, a.codePointAt(0) as number);
  if (typeof b === 'string') return includes(a, b.codePointAt(0) as number);
  return intersect(a, b).length > 0;
}

/** Compares every pair. */
function groupByPairs(sets: readonly FirstSet[]): number[][] {
  let groups: number[][] = [];
  for (const [index, set] of sets.entries()) {
    const joins = (group: readonly number[]): boolean =>
      group.some((other) => sets[other]?.firsts.some((one) => set.firsts.some((first) => overlaps(one, first))));
    groups = [...groups.filter((group) => !joins(group)), [...groups.filter(joins).flat(), index]];
  }
  return groups;
}

const sorted = (groups: readonly (readonly number[])[]): string[] =>
  groups.map((group) => [...group].sort((a, b) => a - b).join()).sort();

test('groups like a comparison of every pair', () => {
  const text = fc.stringMatching(/^[a-d]{1,3}$/);
  const span = fc
    .tuple(fc.constantFrom(34, 97, 98, 99, 100, 101), fc.nat(2))
    .map(([from, more]): CodePoints => [[from, from + more]]);
  const others = fc.constant({ except: new Set(['a', 'b']) });
  const quoted = fc.constantFrom('"a"', '"b"', '"c"');
  const item = fc.oneof<fc.Arbitrary<FirstItem>[]>(text, span, others, quoted);
  const set = fc.array(item, { maxLength: 3 }).map(toSet);
  fc.assert(
    fc.property(fc.array(set, { maxLength: 8 }), (sets) => {
      expect(sorted(groupOverlapping(sets))).toEqual(sorted(groupByPairs(sets)));
    }),
    { numRuns: 500 },
  );
});

test('many sets of many texts', () => {
  const make = (size: number): FirstSet[] =>
    Array.from({ length: size }, (_, one) => toSet(Array.from({ length: 50 }, (__, other) => `"k${one}_${other}"`)));
  expect(growthOf({ make, work: groupOverlapping, size: 50 })).toBeLessThan(maxLinearGrowth);
});
