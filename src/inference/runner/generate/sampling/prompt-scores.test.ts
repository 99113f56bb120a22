import { expect, test } from 'vitest';
import { PromptScores, scoredPerStep } from './prompt-scores.ts';

const vocabulary = { size: 4, pieceOf: (token: number) => Buffer.from([97 + token]) };
const scores = new PromptScores(vocabulary, { top: 2, from: 3 });

test('a token has its log probability, its place among all, and the likeliest ones', () => {
  const logits = Float32Array.from([1, 3, 2, 0]);
  const normalizer = Math.log([1, 3, 2, 0].reduce((sum, logit) => sum + Math.exp(logit), 0));
  expect(scores.describe(0, logits, 3)).toEqual({
    token: 0,
    bytes: [97],
    logprob: expect.closeTo(1 - normalizer, 6),
    rank: 3,
    top: [
      { token: 1, bytes: [98], logprob: expect.closeTo(3 - normalizer, 6) },
      { token: 2, bytes: [99], logprob: expect.closeTo(2 - normalizer, 6) },
    ],
  });
  expect(scores.describe(1, logits, 4).rank).toBe(1);
});

test('a token has its divergence from the distribution that another model has reported for it', () => {
  const logits = [Float32Array.from([1, 3, 2, 0]), Float32Array.from([3, 1, 2, 0])] as const;
  const reporter = new PromptScores(vocabulary, { top: 0, from: 3, wantDistributions: true });
  reporter.describe(0, logits[0], 3);
  reporter.describe(0, logits[1], 4);
  const baseline = reporter.takeDistributions() as string;
  expect(reporter.takeDistributions()).toBe('');
  const comparer = new PromptScores(vocabulary, { top: 0, from: 3, baseline });
  expect(comparer.describe(0, logits[0], 3)).toMatchObject({ divergence: expect.closeTo(0, 4), sameTop: true });
  expect(comparer.describe(0, logits[0], 4)).toMatchObject({ divergence: expect.closeTo(1.114, 3), sameTop: false });
  expect(comparer.describe(0, logits[0], 5)).not.toHaveProperty('divergence');
  expect(comparer.takeDistributions()).toBeUndefined();
  const larger = { ...vocabulary, size: 5 };
  expect(() => new PromptScores(larger, { top: 0, from: 3, baseline })).toThrow('vocabularies of different sizes');
});

test('the first token has no probability', () => {
  expect(scores.describeFirst(2)).toEqual({ token: 2, bytes: [99], top: [] });
});

test('the logits before the first reported token are needed, and none before them', () => {
  expect(scores.unscored).toBe(2);
  expect(new PromptScores(vocabulary, { top: 0, from: 0 }).unscored).toBe(0);
});

test('a large vocabulary has fewer tokens in a step', () => {
  expect([1000, 131_072, 2 ** 22].map(scoredPerStep)).toEqual([2097, 16, 16]);
});
