// Whether a request gets the same answer in any company. Texts cannot tell: matrix kernels may round a row differently
// depending on how many rows there are, and where two tokens are almost equally likely the choice tips over. What can
// be compared is how likely the model finds each token, as long as the tokens before it are the same.

import { expect } from 'vitest';
import type { Lease } from '../../src/engine/ports.ts';
import type { OptionValues } from '../../src/model/options.ts';
import type { TokenLogprob } from '../../src/protocol/messages.ts';
import { type Answer, answerOf, never, requestOf } from './engine.ts';

/** So hot that in 32 bits every token is exactly as likely as any other: the tokens follow from the seed alone. */
export const even = { temperature: 1e12, topK: 0, topP: 1, minP: 0, repeatPenalty: 1 } satisfies OptionValues;

/** Makes sure that an answer has as many tokens as it may have. */
export async function withoutEnd(lease: Lease): Promise<{ logitBias: [token: number, bias: number][] }> {
  const ends = ['<|im_end|>', '<|endoftext|>'].map((text) => lease.tokenize(text, { addSpecial: false }));
  return { logitBias: (await Promise.all(ends)).flat().map((token) => [token, -1e30]) };
}

/** Tokens that a seed draws, and how likely the model finds them after the prompt and each other. */
export async function drawAnswer(
  lease: Lease,
  prompt: string,
  options: OptionValues & { readonly seed: number; readonly numPredict: number },
): Promise<Answer> {
  const extra = { ...(await withoutEnd(lease)), topLogprobs: 0 };
  return answerOf(lease.generate(requestOf(prompt, { ...even, ...options }, extra), never));
}

// Mean differences of log probabilities that were measured with drawn tokens: up to 0.12 between llama.cpp's builds for
// different x64 processors, from 0.45 where a tenth of the context is missing.
const roundingOfMean = 0.25;

/** Two drawn answers. The first `skipped` tokens are not looked at. */
export function expectSameDrawn(actual: Answer, expected: Answer, skipped = 0): void {
  expect(actual.text).toBe(expected.text);
  const differences = expected.logprobs.map(({ logprob }, index) => distance(actual.logprobs[index], logprob));
  const compared = differences.slice(skipped);
  expect(compared.length).toBeGreaterThan(0);
  expect(compared.reduce((sum, difference) => sum + difference, 0) / compared.length).toBeLessThan(roundingOfMean);
}

/** The likeliest tokens, without penalties. */
export function likeliestAnswer(lease: Lease, prompt: string, numPredict: number): Promise<Answer> {
  const options = { temperature: 0, repeatPenalty: 1, numPredict };
  return answerOf(lease.generate(requestOf(prompt, options, { topLogprobs: 2 }), never));
}

// The same for single tokens of answers to questions: up to 0.23, and a lead of up to 0.11 where texts part.
const roundingOfToken = 0.5;

/** Two answers of likeliest tokens: the same, up to where two tokens are almost equally likely. */
export function expectSameLikeliest(actual: Answer, expected: Answer): void {
  const length = Math.max(actual.logprobs.length, expected.logprobs.length);
  expect(length).toBeGreaterThan(0);
  for (let index = 0; index < length; index++) {
    const [one, other] = [actual.logprobs[index], expected.logprobs[index]];
    if (one === undefined || other === undefined || textOf(one) !== textOf(other)) {
      for (const entry of [one, other]) if (entry !== undefined) expect(lead(entry)).toBeLessThan(roundingOfToken);
      return;
    }
    expect(distance(one, other.logprob), `token ${index} of ${expected.text}`).toBeLessThan(roundingOfToken);
  }
}

const distance = (entry: TokenLogprob | undefined, logprob: number): number =>
  Math.abs((entry?.logprob ?? Number.NEGATIVE_INFINITY) - logprob);
const textOf = ({ bytes }: TokenLogprob): string => Buffer.from(bytes).toString('latin1');

/** How much likelier the first token is than the second. */
function lead({ top: [first, second] }: TokenLogprob): number {
  return (first?.logprob ?? 0) - (second?.logprob ?? Number.NEGATIVE_INFINITY);
}
