import { describe, expect, test } from 'vitest';
import {
  addEvidence,
  chanceOf,
  chooseLength,
  type Evidence,
  expectedTokens,
  initialMatch,
  nextMatch,
  noEvidence,
} from './draft-policy.ts';
import { minMatch } from './ngram-index.ts';

const wrong = { drafted: 7, accepted: 0 };
const right = { drafted: 7, accepted: 7 };

function evidenceOf(...results: readonly (typeof wrong)[]): Evidence {
  return results.reduce((evidence, result) => addEvidence(evidence, result), noEvidence);
}

describe('chanceOf', () => {
  const assumed = { right: 4, wrong: 1 };

  test('is what is assumed if there is no evidence', () => {
    expect(chanceOf(noEvidence, assumed)).toBeCloseTo(0.8);
  });

  test('rises with tokens that were right and falls with drafts that were wrong', () => {
    expect(chanceOf(evidenceOf(right), assumed)).toBeGreaterThan(0.9);
    expect(chanceOf(evidenceOf(wrong, wrong, wrong), assumed)).toBeLessThan(0.6);
  });

  test('recent drafts count more', () => {
    expect(chanceOf(evidenceOf(wrong, wrong, right), assumed)).toBeGreaterThan(
      chanceOf(evidenceOf(right, wrong, wrong), assumed),
    );
  });

  test('all drafts count if the old ones keep their weight', () => {
    const { accepted, rejected } = addEvidence(evidenceOf(right), wrong, 1);
    expect([accepted, rejected]).toEqual([7, 1]);
  });
});

test('a pass yields one token more than were right', () => {
  expect(expectedTokens(0, 7)).toBe(1);
  expect(expectedTokens(0.5, 2)).toBeCloseTo(1.75);
  expect(expectedTokens(1, 7)).toBe(8);
});

describe('chooseLength', () => {
  const lengths = [3, 7, 15, 31, 63];
  const perRow = (cost: number) => (drafted: number) => 1 + cost * drafted;

  test('prefers short drafts for a small chance and long ones for a large one', () => {
    const choose = (chance: number): number => chooseLength({ chance, lengths, costOf: perRow(0.15) });
    expect([0.3, 0.6, 0.9, 0.99, 0.999].map(choose)).toEqual([0, 3, 7, 31, 63]);
  });

  test('drafts nothing where rows cost almost as much as passes', () => {
    expect(chooseLength({ chance: 0.93, lengths, costOf: perRow(0.85) })).toBe(0);
  });

  test('takes a length that is cheap for its size', () => {
    const costOf = (drafted: number): number => (drafted === 63 ? 11.2 : perRow(0.4)(drafted));
    expect(chooseLength({ chance: 0.97, lengths, costOf })).toBe(63);
  });
});

describe('nextMatch', () => {
  const neededAfter = (count: number, result: typeof wrong, from = initialMatch): number => {
    let needed = from;
    for (let draft = 0; draft < count; draft++) needed = nextMatch(needed, result, 4);
    return needed;
  };

  test('each wrong draft doubles the match that the next one needs, up to a limit', () => {
    expect([1, 2, 3, 4, 5].map((count) => neededAfter(count, wrong))).toEqual([24, 48, 96, 128, 128]);
  });

  test('each draft that pays halves it, down to the shortest match', () => {
    expect([1, 2, 5, 6].map((count) => neededAfter(count, right, 128))).toEqual([64, 32, minMatch, minMatch]);
  });

  test.each([
    [3, 4, false],
    [4, 4, true],
    [12, 14, false],
    [15, 14, true],
  ])('%i right tokens pay for a cost of %i: %s', (accepted, cost, pays) => {
    expect(nextMatch(12, { drafted: 63, accepted }, cost) < 12).toBe(pays);
  });
});
