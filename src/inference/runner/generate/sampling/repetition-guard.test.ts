import { expect, test } from 'vitest';
import { toAnswerPiece } from '../text/answer-pieces.ts';
import { createRepetitionGuard } from './repetition-guard.ts';

test('thirty repetitions are allowed, one more is not; white space is ignored', () => {
  const guard = createRepetitionGuard();
  const pieces = [' yes', ...Array.from({ length: 31 }, (_, index) => (index % 2 ? 'yes' : 'yes\n'))];
  expect(pieces.map((piece) => guard.exceeds(toAnswerPiece(Buffer.from(piece)).trimmed)).indexOf(true)).toBe(31);
});

test('another piece resets the count', () => {
  const guard = createRepetitionGuard();
  const pieces = Array.from({ length: 200 }, (_, index) => (index % 20 === 0 ? 'no' : 'yes'));
  expect(pieces.some((piece) => guard.exceeds(piece))).toBe(false);
});

test('the first tokens may repeat', () => {
  const guard = createRepetitionGuard(100);
  const exceeding = Array.from({ length: 102 }, () => guard.exceeds('a'));
  expect(exceeding.indexOf(true)).toBe(100);
});
