import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextStream } from './text-stream.ts';

function stream(pieces: readonly (string | Buffer)[], stops: readonly string[] = []) {
  const text = createTextStream(stops);
  const sent = pieces.map((piece) => text.push(Buffer.from(piece)));
  return { sent, all: sent.join('') + text.finish(), stopped: text.stopped };
}

describe('stop texts', () => {
  test('are cut where they begin, also across pieces', () => {
    expect(stream(['Hello wor', 'ld', ' and more'], ['world'])).toMatchObject({ all: 'Hello ', stopped: true });
  });

  test('no part of one is sent before it is certain that it is none', () => {
    expect(stream(['a', '<', '|e', 'x'], ['<|end|>']).sent).toEqual(['a', '', '', '<|ex']);
  });

  test('what was held back comes when the answer ends', () => {
    expect(stream(['abc', '<|e'], ['<|end|>'])).toMatchObject({ sent: ['abc', ''], all: 'abc<|e', stopped: false });
  });

  test('the earliest of several counts', () => {
    expect(stream(['one two three'], ['three', 'two'])).toMatchObject({ all: 'one ', stopped: true });
  });

  test('an empty one is none', () => {
    expect(stream(['text'], [''])).toMatchObject({ all: 'text', stopped: false });
  });

  test('one inside the beginning of another', () => {
    expect(stream(['aab', 'c'], ['aaa', 'ab'])).toMatchObject({ all: 'a', stopped: true });
  });
});

describe('characters', () => {
  test('are never split: bytes wait until the character is whole', () => {
    const bytes = Buffer.from('a👍b');
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(stream(pieces).sent).toEqual(['a', '', '', '', '👍', 'b']);
  });

  test('half a character at the end is dropped', () => {
    expect(stream(['ok', Buffer.from('👍').subarray(0, 2)]).all).toBe('ok');
  });

  test('bytes that are no character become the replacement character', () => {
    expect(stream([Buffer.from([0x61, 0xff, 0x62])]).all).toBe('a\ufffdb');
  });
});

test('however it is cut, the text is the one before the first stop text, and no piece holds half a character', () => {
  const word = fc.constantFrom('a', 'b', 'é', '👍', '中', '<', '|', 'END');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 4 })), (words, sizes) => {
      const whole = words.join('');
      const bytes = Buffer.from(whole);
      const pieces: Buffer[] = [];
      for (let offset = 0, turn = 0; offset < bytes.length; turn++) {
        const size = sizes[turn % Math.max(1, sizes.length)] ?? 1;
        pieces.push(bytes.subarray(offset, offset + size));
        offset += size;
      }
      const stops = ['<|', 'END', 'ab'];
      const { sent, all } = stream(pieces, stops);
      const end = Math.min(...stops.map((stop) => whole.indexOf(stop)).filter((slot) => slot !== -1), whole.length);
      expect(all).toBe(whole.slice(0, end));
      for (const piece of sent) expect(Buffer.from(piece).toString()).toBe(piece);
    }),
    { numRuns: 500 },
  );
});
