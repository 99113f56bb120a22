import { describe, expect, test } from 'vitest';
import { type DraftPolicy, initialPolicy, maxMatch, nextPolicy, planDraft } from './draft-policy.ts';
import { minMatch } from './ngram-index.ts';

const wrong = { drafted: 7, accepted: 0 };
const right = { drafted: 7, accepted: 7 };

/** The policy after this many drafts with the same result. */
function policyAfter(count: number, result: typeof wrong, from: DraftPolicy = initialPolicy): DraftPolicy {
  let policy = from;
  for (let draft = 0; draft < count; draft++) policy = nextPolicy(policy, result);
  return policy;
}

describe('planDraft', () => {
  test('a long context needs longer matches, and a draft that fills 64 rows', () => {
    expect(planDraft(initialPolicy, 511)).toEqual({ needed: 12, length: 7, minLength: 4 });
    expect(planDraft(initialPolicy, 512)).toEqual({ needed: 24, length: 63, minLength: 63 });
  });
});

describe('nextPolicy', () => {
  test('drafts that are right grow to 31 tokens', () => {
    const lengths = [initialPolicy.length];
    let policy = initialPolicy;
    for (let draft = 0; draft < 3; draft++) {
      policy = nextPolicy(policy, { drafted: policy.length, accepted: policy.length });
      lengths.push(policy.length);
    }
    expect(lengths).toEqual([7, 15, 31, 31]);
  });

  test('a draft that is right only at its start is followed by a short one', () => {
    expect(nextPolicy({ needed: 4, length: 31 }, { drafted: 31, accepted: 20 })).toEqual({ needed: 4, length: 7 });
  });

  test('each wrong draft doubles the match that the next one needs, up to a limit', () => {
    expect([1, 2, 3, 4, 5].map((count) => policyAfter(count, wrong).needed)).toEqual([24, 48, 96, 128, 128]);
    expect(planDraft(policyAfter(5, wrong), 1000).needed).toBe(maxMatch);
  });

  test('each draft that pays halves it, down to the shortest match', () => {
    const worst = policyAfter(5, wrong);
    expect([1, 2, 5, 6].map((count) => policyAfter(count, right, worst).needed)).toEqual([64, 32, minMatch, minMatch]);
  });

  test.each([
    [7, 4, false],
    [7, 5, true],
    [63, 13, false],
    [63, 14, true],
  ])('of %i drafted tokens, %i that are right pay: %s', (drafted, accepted, pays) => {
    expect(nextPolicy(initialPolicy, { drafted, accepted }).needed < initialPolicy.needed).toBe(pays);
  });
});
