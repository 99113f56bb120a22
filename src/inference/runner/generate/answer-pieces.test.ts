import { expect, test } from 'vitest';
import { createAnswerPieces } from './answer-pieces.ts';

const pieces = ['a', '<|channel|>', '<|im_start|>'];
const vocabulary = {
  pieceOf: (token: number) => Buffer.from(pieces[token] as string),
  isControl: (token: number) => token > 0,
};
const textsOf = (keepTokens?: readonly string[]) =>
  pieces.map((_, token) => createAnswerPieces(vocabulary, keepTokens)(token).toString());

test('control tokens have no text, except those that the caller needs', () => {
  expect(textsOf()).toEqual(['a', '', '']);
  expect(textsOf(['<|channel|>'])).toEqual(['a', '<|channel|>', '']);
});
