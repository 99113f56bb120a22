import { expect, test } from 'vitest';
import { PromptScores, scoredPerStep } from './prompt-scores.ts';

const vocabulary = { size: 4, pieceOf: (token: number) => Buffer.from([97 + token]) };
const scores = new PromptScores(vocabulary, { top: 2, from: 3 });

test('a token has its log probability, its place among all, and the likeliest ones', () => {
  const logits = Float32Array.from([1, 3, 2, 0]);
  const normalizer = Math.log([1, 3, 2, 0].reduce((sum, logit) => sum + Math.exp(logit), 0));
  expect(scores.describe(0, logits)).toEqual({
    token: 0,
    bytes: [97],
    logprob: expect.closeTo(1 - normalizer, 6),
    rank: 3,
    top: [
      { token: 1, bytes: [98], logprob: expect.closeTo(3 - normalizer, 6) },
      { token: 2, bytes: [99], logprob: expect.closeTo(2 - normalizer, 6) },
    ],
  });
  expect(scores.describe(1, logits).rank).toBe(1);
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
