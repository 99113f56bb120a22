import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeSentencePieces, sentencePieceSize } from '../../../../test/support/checkpoints/tokenizers.ts';
import { HearthError } from '../../../base/errors.ts';
import { readSentencePieces } from './sentencepiece-model.ts';

const valid = encodeSentencePieces();

test('pieces have text, score and kind; other fields are skipped', () => {
  const pieces = readSentencePieces(valid);
  expect(pieces.length).toBe(sentencePieceSize);
  expect(pieces[0]).toEqual({ text: '<unk>', score: 0, kind: 2 });
  expect(pieces[4 + 10]).toEqual({ text: '<0x0A>', score: 0, kind: 6 });
  expect(pieces[4 + 256 + 3]).toEqual({ text: 'e', score: -1, kind: 1 });
});

describe('rejects', () => {
  test.each([
    ['an empty file', [], 'no pieces'],
    ['a length beyond the end', [0x0a, 0x7f, 0x00], 'truncated'],
    ['a length beyond all files', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 'truncated'],
    ['a number that does not end', new Array(11).fill(0xff), 'more than 64 bits'],
    ['a group, which is not used any more', [0x0b], 'unknown type 3'],
  ])('%s', (_, bytes, message) => {
    expect(() => readSentencePieces(Buffer.from(bytes))).toThrow(message);
  });
});

test('changed bytes give pieces or an error of ours', () => {
  const change = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(change, fc.nat(valid.length), (changes, length) => {
      const bytes = Buffer.from(valid.subarray(0, length));
      for (const [index, value] of changes) if (index < length) bytes[index] = value;
      try {
        expect(readSentencePieces(bytes).length).toBeLessThanOrEqual(length);
      } catch (error) {
        expect(error).toBeInstanceOf(HearthError);
      }
    }),
  );
});
