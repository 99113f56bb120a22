import { expect, test } from 'vitest';
import { createAnswerPieces, createTokenPieces, toAnswerPiece } from './answer-pieces.ts';

const pieces = ['a', '<|channel|>', '<|im_start|>'];
const vocabulary = {
  size: pieces.length,
  pieceOf: (token: number) => Buffer.from(pieces[token] as string),
  isControl: (token: number) => token > 0,
};
const textsOf = (keepTokens?: readonly string[]) =>
  pieces.map((_, token) => createAnswerPieces(createTokenPieces(vocabulary), keepTokens)(token).text);

test('control tokens have no text, except those that the caller needs', () => {
  expect(textsOf()).toEqual(['a', '', '']);
  expect(textsOf(['<|channel|>'])).toEqual(['a', '<|channel|>', '']);
});

test('only complete characters are a text', () => {
  const thumb = Buffer.from('👍');
  expect(toAnswerPiece(thumb).text).toBe('👍');
  expect(toAnswerPiece(thumb.subarray(0, 3)).text).toBeUndefined();
  expect(toAnswerPiece(thumb.subarray(1)).text).toBeUndefined();
  expect(toAnswerPiece(Buffer.from('\ufffd')).text).toBe('\ufffd');
});

test('white space at both ends is trimmed to find repetitions', () => {
  expect(toAnswerPiece(Buffer.from(' no\n')).trimmed).toBe('no');
});

test('a token is converted once', () => {
  const pieceOf = createTokenPieces(vocabulary);
  expect(pieceOf(0)).toBe(pieceOf(0));
});
