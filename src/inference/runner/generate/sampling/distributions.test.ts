import { expect, test } from 'vitest';
import { compareDistributions, packDistribution, packedLength } from './distributions.ts';

const normalizerOf = (logits: Float32Array): number =>
  Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
/** Different in each place, the same in each run. */
const logitsOf = (seed: number, size = 1001): Float32Array =>
  Float32Array.from({ length: size }, (_, token) => 6 * Math.sin(seed * 12.9898 + token * 78.233));
const compare = (base: Float32Array, other: Float32Array) =>
  compareDistributions(packDistribution(base, normalizerOf(base)), other, normalizerOf(other));

test('the divergence is that of the definition', () => {
  const [base, other] = [logitsOf(1), logitsOf(2)];
  let expected = 0;
  for (const [token, logit] of base.entries()) {
    const logprob = logit - normalizerOf(base);
    expected += Math.exp(logprob) * (logprob - ((other[token] as number) - normalizerOf(other)));
  }
  expect(compare(base, other).divergence).toBeCloseTo(expected, 3);
  expect(compare(base, other).divergence / expected).toBeCloseTo(1, 4);
});

test('a distribution does not diverge from itself, and has the same likeliest token', () => {
  const { divergence, sameTop } = compare(logitsOf(3), logitsOf(3));
  expect(Math.abs(divergence)).toBeLessThan(1e-4);
  expect(sameTop).toBe(true);
  const other = logitsOf(3);
  other[500] = 20;
  expect(compare(logitsOf(3), other).sameTop).toBe(false);
});

test('a uniform distribution has steps of zero', () => {
  const uniform = new Float32Array(16).fill(2);
  expect(compare(uniform, uniform).divergence).toBeCloseTo(0, 6);
});

test('a token takes two bytes', () => {
  expect(packDistribution(logitsOf(1), 0)).toHaveLength(packedLength(1001));
  expect(packedLength(1001)).toBe(2010);
});
