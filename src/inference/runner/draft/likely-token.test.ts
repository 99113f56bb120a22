import { expect, test } from 'vitest';
import { createLikelyToken } from './likely-token.ts';

/** Logits of a vocabulary whose other tokens are as likely as each other. */
function logitsWith(size: number, token: number, logit: number): Float32Array {
  const logits = new Float32Array(size).fill(-1);
  logits[token] = logit;
  return logits;
}

test.each([300, 32_000, 151_936])('finds a token that is likelier than all %i others together', (size) => {
  const find = createLikelyToken();
  for (const token of [0, 7, size >> 1, size - 1]) expect(find(logitsWith(size, token, 20))).toBe(token);
});

test('finds none if two tokens are as likely', () => {
  const logits = logitsWith(32_000, 5, 20);
  logits[31_000] = 20.1;
  logits[31_001] = 20;
  expect(createLikelyToken()(logits)).toBeUndefined();
});

test('finds none in a flat distribution, whose largest tokens have less than half of the probability', () => {
  const logits = Float32Array.from({ length: 32_000 }, (_, index) => Math.sin(index));
  expect(createLikelyToken()(logits)).toBeUndefined();
});

test('takes the likeliest of fewer tokens than it considers', () => {
  expect(createLikelyToken()(Float32Array.of(1, 9, 2))).toBe(1);
});
