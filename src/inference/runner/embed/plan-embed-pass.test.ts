import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planEmbedPass } from './embedder.ts';

test.each([
  ['no texts', [], []],
  ['the first, then the longest that fit', [10, 20, 90, 60, 30], [0, 2]],
  ['small texts into the rest', [10, 5, 70, 60, 15, 4], [0, 2, 4, 1]],
  ['a text that is too long, alone', [300, 5], [0]],
  ['no more than the sequence limit', [1, 1, 1, 1, 1, 1], [0, 1, 2, 3]],
])('%s', (_, lengths: readonly number[], expected) => {
  expect(planEmbedPass(lengths, { tokens: 100, sequences: 4 })).toEqual(expected);
});

test('every pass fits, has the first text, and no other text fits into the rest', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1 }), (lengths) => {
      const chosen = planEmbedPass(lengths, { tokens: 100, sequences: 8 });
      const used = chosen.reduce((sum, index) => sum + (lengths[index] as number), 0);
      expect(chosen[0]).toBe(0);
      expect(new Set(chosen).size).toBe(chosen.length);
      expect(used <= 100 || chosen.length === 1).toBe(true);
      const left = lengths.filter((_, index) => !chosen.includes(index));
      if (chosen.length < 8) expect(left.every((length) => used + length > 100)).toBe(true);
    }),
  );
});
