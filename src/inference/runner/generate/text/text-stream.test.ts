import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAnswerPiece } from './answer-pieces.ts';
import { createTextStream } from './text-stream.ts';

function stream(pieces: readonly (string | Buffer)[], stops: readonly string[] = []) {
  const text = createTextStream(stops);
  const sent = pieces.map((piece) => text.push(toAnswerPiece(Buffer.from(piece))));
  return { sent, all: sent.join('') + text.finish(), stop: text.stopSequence };
}

describe('stop sequences', () => {
  test('do not end the text of the first tokens', () => {
    const text = createTextStream(['b'], 2);
    const sent = ['a', 'b', 'ab'].map((piece) => text.push(toAnswerPiece(Buffer.from(piece))));
    expect(sent).toEqual(['a', 'b', 'a']);
    expect(text.stopSequence).toBe('b');
  });

  test('end the text where they begin, also across pieces', () => {
    expect(stream(['Hello wor', 'ld', ' and more'], ['world'])).toMatchObject({ all: 'Hello ', stop: 'world' });
  });

  test('a possible beginning is held back until it is ruled out', () => {
    expect(stream(['a', '<', '|e', 'x'], ['<|end|>']).sent).toEqual(['a', '', '', '<|ex']);
  });

  test('held text is sent when the answer ends', () => {
    expect(stream(['abc', '<|e'], ['<|end|>'])).toEqual({ sent: ['abc', ''], all: 'abc<|e', stop: undefined });
  });

  test('the one that begins first matches', () => {
    expect(stream(['one two three'], ['three', 'two'])).toMatchObject({ all: 'one ', stop: 'two' });
  });

  test.each([[['ab', 'abc']], [['abc', 'ab']]])('of %j the shorter one matches', (stops) => {
    expect(stream(['xabc'], stops)).toMatchObject({ all: 'x', stop: 'ab' });
    expect(stream(['x', 'a', 'b', 'c'], stops)).toMatchObject({ all: 'x', stop: 'ab' });
  });

  test('an empty one is ignored', () => {
    expect(stream(['text'], [''])).toMatchObject({ all: 'text', stop: undefined });
  });

  test('one matches inside the beginning of another', () => {
    expect(stream(['aab', 'c'], ['aaa', 'ab'])).toMatchObject({ all: 'a', stop: 'ab' });
  });
});

describe('characters', () => {
  test('are never split: bytes wait until the character is complete', () => {
    const bytes = Buffer.from('a👍b');
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(stream(pieces).sent).toEqual(['a', '', '', '', '👍', 'b']);
  });

  test('a token without text may come between the bytes of a character', () => {
    const bytes = Buffer.from('👍');
    expect(stream([bytes.subarray(0, 2), '', bytes.subarray(2), 'x']).sent).toEqual(['', '', '👍', 'x']);
  });

  test('an incomplete one becomes the replacement character when another one follows', () => {
    expect(stream([Buffer.from('👍').subarray(0, 2), 'x', 'y']).sent).toEqual(['', '\ufffdx', 'y']);
  });

  test('an incomplete character at the end is dropped', () => {
    expect(stream(['ok', Buffer.from('👍').subarray(0, 2)]).all).toBe('ok');
  });

  test('invalid bytes become the replacement character', () => {
    expect(stream([Buffer.from([0x61, 0xff, 0x62])]).all).toBe('a\ufffdb');
  });
});

test('for any split, the text ends before the first stop sequence, and no piece has an incomplete character', () => {
  const word = fc.constantFrom('a', 'b', 'é', '👍', '中', '<', '|', 'END');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 4 })), (words, sizes) => {
      const complete = words.join('');
      const bytes = Buffer.from(complete);
      const pieces: Buffer[] = [];
      for (let offset = 0, round = 0; offset < bytes.length; round++) {
        const size = sizes[round % Math.max(1, sizes.length)] ?? 1;
        pieces.push(bytes.subarray(offset, offset + size));
        offset += size;
      }
      const stops = ['<|', 'END', 'ab'];
      const { sent, all, stop } = stream(pieces, stops);
      const starts = stops.map((candidate) => complete.indexOf(candidate)).filter((start) => start !== -1);
      const end = Math.min(...starts, complete.length);
      expect(all).toBe(complete.slice(0, end));
      expect(stop).toBe(stops.find((candidate) => complete.startsWith(candidate, end)));
      for (const piece of sent) expect(Buffer.from(piece).toString()).toBe(piece);
    }),
    { numRuns: 500 },
  );
});
