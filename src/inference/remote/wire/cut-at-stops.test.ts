import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StopCutter } from './cut-at-stops.ts';

function cut(pieces: readonly string[], stops: readonly string[]) {
  const cutter = new StopCutter(stops);
  let text = '';
  for (const piece of pieces) {
    const found = cutter.push(piece);
    text += found.text;
    if (found.stop !== undefined) return { text, stop: found.stop };
  }
  return { text: text + cutter.rest(), stop: undefined };
}

test('the answer ends before the first stop sequence, even if it comes in pieces', () => {
  expect(cut(['one E', 'N', 'D two'], ['X', 'END'])).toEqual({ text: 'one ', stop: 'END' });
});

test('text that only looked like a stop sequence is passed on', () => {
  expect(cut(['one E', 'N', 'd'], ['END'])).toEqual({ text: 'one ENd', stop: undefined });
  expect(cut(['one EN'], ['END'])).toEqual({ text: 'one EN', stop: undefined });
});

test('a stop sequence that is complete ends the answer, although a longer one begins before it', () => {
  for (const pieces of [['xab', 'a'], ['xaba']]) expect(cut(pieces, ['b', 'aba'])).toEqual({ text: 'xa', stop: 'b' });
  expect(cut(['xab'], ['b', 'ab'])).toEqual({ text: 'x', stop: 'ab' });
});

test('the result does not depend on the pieces', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  const stop = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(letters), fc.array(stop, { minLength: 1, maxLength: 3 }), (pieces, stops) => {
      const whole = pieces.join('');
      // Letter by letter, the first one that is complete ends the answer.
      const ends = Array.from(whole, (_, index) => whole.slice(0, index + 1));
      const end = ends.find((text) => stops.some((one) => text.endsWith(one)));
      const found = stops.filter((one) => end?.endsWith(one)).map((one) => one.length);
      expect(cut(pieces, stops).text).toBe(end === undefined ? whole : end.slice(0, end.length - Math.max(...found)));
    }),
  );
});
