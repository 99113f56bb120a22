import { expect, test } from 'vitest';
import { tailFreeLength } from './tail-free.ts';

const logitsOf = (...probabilities: number[]): Float32Array => Float32Array.from(probabilities, Math.log);

test('the flat tail after a steep drop is cut', () => {
  const logits = logitsOf(0.5, 0.3, 0.1, 0.02, 0.02, 0.02, 0.02, 0.02);
  expect(tailFreeLength(logits, 0.5)).toBe(1);
  expect(tailFreeLength(logits, 0.95)).toBe(2);
});

test('1 keeps everything, and so does a list of two', () => {
  expect(tailFreeLength(logitsOf(0.6, 0.3, 0.1), 1)).toBe(3);
  expect(tailFreeLength(logitsOf(0.9, 0.1), 0.1)).toBe(2);
});

test('a straight line has no tail', () => {
  expect(tailFreeLength(logitsOf(0.25, 0.25, 0.25, 0.25), 0.5)).toBe(4);
});

test('at least one candidate remains', () => {
  expect(tailFreeLength(logitsOf(0.97, 0.01, 0.01, 0.01), 0)).toBeGreaterThanOrEqual(1);
});
