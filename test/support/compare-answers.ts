// Compares the answers to a request alone and in a batch. Texts may differ without an error: matrix kernels may round a
// row differently depending on the number of rows, which decides between two tokens that are almost equally likely. The
// probabilities of the tokens can be compared, as long as the tokens before them are the same.

import { expect } from 'vitest';
import type { Lease } from '../../src/inference/engine/ports.ts';
import type { TokenLogprob } from '../../src/inference/protocol/messages.ts';
import type { OptionValues } from '../../src/models/options.ts';
import { type Answer, answerOf, never, requestOf } from './engine.ts';

/** In 32-bit floats this temperature makes all tokens equally likely: the answer depends on the seed alone. */
const even = { temperature: 1e12, topK: 0, topP: 1, minP: 0, repeatPenalty: 1 } satisfies OptionValues;

/** Excludes the end tokens, so that an answer has `numPredict` tokens. */
export async function withoutEnd(lease: Lease): Promise<{ logitBias: [token: number, bias: number][] }> {
  const ends = ['<|im_end|>', '<|endoftext|>'].map((text) => lease.tokenize(text, { addSpecial: false }));
  return { logitBias: (await Promise.all(ends)).flat().map((token) => [token, -1e30]) };
}

/** Random tokens that depend on the seed alone, with the probabilities that the model gives them. */
export async function drawAnswer(
  lease: Lease,
  prompt: string,
  options: OptionValues & { readonly seed: number; readonly numPredict: number },
): Promise<Answer> {
  const extra = { ...(await withoutEnd(lease)), topLogprobs: 0 };
  return answerOf(lease.generate(requestOf(prompt, { ...even, ...options }, extra), never));
}

// Measured mean differences of log probabilities of random tokens: up to 0.12 between llama.cpp's builds for different
// x64 processors, at least 0.45 where a tenth of the context is missing.
const roundingOfMean = 0.25;

/** For two answers of `drawAnswer`. The first `skipped` tokens are not compared. */
export function expectSameDrawn(actual: Answer, expected: Answer, skipped = 0): void {
  expect(actual.text).toBe(expected.text);
  const differences = expected.logprobs.map(({ logprob }, index) => distance(actual.logprobs[index], logprob));
  const compared = differences.slice(skipped);
  expect(compared.length).toBeGreaterThan(0);
  expect(compared.reduce((sum, difference) => sum + difference, 0) / compared.length).toBeLessThan(roundingOfMean);
}

/** The likeliest tokens, without penalties, with their probabilities. */
export function likeliestAnswer(lease: Lease, prompt: string, numPredict: number): Promise<Answer> {
  const options = { temperature: 0, repeatPenalty: 1, numPredict };
  return answerOf(lease.generate(requestOf(prompt, options, { topLogprobs: 2 }), never));
}

// The same for single tokens of greedy answers: up to 0.23. Where the texts differ, the first token leads by up to 0.11.
const roundingOfToken = 0.5;

/** What is compared of an answer. */
export type ComparedAnswer = Pick<Answer, 'text' | 'logprobs'>;

/** For two answers of `likeliestAnswer`: equal up to a token where two are almost equally likely. */
export function expectSameLikeliest(actual: ComparedAnswer, expected: ComparedAnswer): void {
  expectSame(actual, expected, roundingOfToken);
}

// Measured with the small models of all kinds of memory, whose weights are not quantized: up to 0.005.
const roundingUnquantized = 0.02;

/** The same for models without quantized weights, which round less. */
export function expectSameUnquantized(actual: ComparedAnswer, expected: ComparedAnswer): void {
  expectSame(actual, expected, roundingUnquantized);
}

function expectSame(actual: ComparedAnswer, expected: ComparedAnswer, rounding: number): void {
  const length = Math.max(actual.logprobs.length, expected.logprobs.length);
  expect(length).toBeGreaterThan(0);
  for (let index = 0; index < length; index++) {
    const [one, other] = [actual.logprobs[index], expected.logprobs[index]];
    if (one === undefined || other === undefined || textOf(one) !== textOf(other)) {
      for (const entry of [one, other]) if (entry !== undefined) expect(lead(entry)).toBeLessThan(rounding);
      return;
    }
    expect(distance(one, other.logprob), `token ${index} of ${expected.text}`).toBeLessThan(rounding);
  }
}

const distance = (entry: TokenLogprob | undefined, logprob: number): number =>
  Math.abs((entry?.logprob ?? Number.NEGATIVE_INFINITY) - logprob);
const textOf = ({ bytes }: TokenLogprob): string => Buffer.from(bytes).toString('latin1');

/** How much likelier the first token is than the second. */
function lead({ top: [first, second] }: TokenLogprob): number {
  return (first?.logprob ?? 0) - (second?.logprob ?? Number.NEGATIVE_INFINITY);
}
