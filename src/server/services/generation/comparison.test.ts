import { expect, test } from 'vitest';
import { ComparisonSums, cutChunks } from './comparison.ts';

const tokens = Array.from({ length: 1100 }, (_, index) => index);

test('a text is cut into chunks of 512 tokens, without the rest; each begins with the token that begins texts', () => {
  const chunks = cutChunks(tokens, undefined);
  expect(chunks.map((chunk) => [chunk.length, chunk[0], chunk.at(-1)])).toEqual([
    [512, 0, 511],
    [512, 512, 1023],
  ]);
  expect(cutChunks(tokens, 7).map((chunk) => [chunk.length, chunk[0], chunk[1]])).toEqual([
    [512, 7, 1],
    [512, 7, 513],
  ]);
  expect(() => cutChunks(tokens.slice(0, 1023), undefined)).toThrow('1023 tokens; at least 1024 are needed');
});

test('perplexities, divergence and equal tokens have their standard errors', () => {
  const sums = new ComparisonSums();
  const token = (logprob: number, divergence: number, sameTop: boolean) => ({
    ...{ token: 1, bytes: [], top: [] },
    ...{ logprob, divergence, sameTop },
  });
  sums.addBase([token(-1, 0, true), token(-1, 0, true)]);
  sums.add([token(-1, 0.1, true)]);
  sums.add([token(-3, 0.3, false)]);
  expect(sums.summarize()).toEqual({
    tokens: 2,
    perplexity: { value: expect.closeTo(Math.exp(2), 6), error: expect.closeTo(Math.exp(2), 6) },
    basePerplexity: { value: expect.closeTo(Math.E, 6), error: 0 },
    divergence: { value: expect.closeTo(0.2, 6), error: expect.closeTo(0.1, 6) },
    sameTop: { value: 0.5, error: 0.5 },
  });
});
