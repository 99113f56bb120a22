import { describe, expect, test } from 'vitest';
import { initialPolicy, maxNeeded, nextPolicy } from './draft-policy.ts';
import { minMatch } from './ngram-index.ts';

const wrong = { drafted: 7, accepted: 0 };
const right = { drafted: 7, accepted: 7 };

describe('nextPolicy', () => {
  test('drafts that are right grow to 31 tokens', () => {
    const second = nextPolicy(initialPolicy, right);
    const third = nextPolicy(second, { drafted: second.length, accepted: second.length });
    const fourth = nextPolicy(third, { drafted: third.length, accepted: third.length });
    expect([initialPolicy, second, third, fourth].map(({ length }) => length)).toEqual([7, 15, 31, 31]);
  });

  test('a draft that is right only at its start is followed by a short one', () => {
    expect(nextPolicy({ needed: 4, length: 31 }, { drafted: 31, accepted: 20 })).toEqual({ needed: 4, length: 7 });
  });

  test('each wrong draft doubles the match that the next one needs', () => {
    let policy = initialPolicy;
    const needed = Array.from({ length: 6 }, () => {
      policy = nextPolicy(policy, wrong);
      return policy.needed;
    });
    expect(needed).toEqual([16, 32, 64, 128, maxNeeded, maxNeeded]);
  });

  test('a draft that pays lets the shortest match draft again', () => {
    expect(nextPolicy({ needed: maxNeeded, length: 7 }, right).needed).toBe(minMatch);
  });

  test.each([
    [7, 1, false],
    [7, 2, true],
    [31, 6, false],
    [31, 7, true],
  ])('of %i drafted tokens, %i that are right pay: %s', (drafted, accepted, pays) => {
    expect(nextPolicy(initialPolicy, { drafted, accepted }).needed === minMatch).toBe(pays);
  });
});
