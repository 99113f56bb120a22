import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStopCutter } from './cut-at-stops.ts';

function cut(pieces: readonly string[], stops: readonly string[]) {
  const cutter = createStopCutter(stops);
  let text = '';
  for (const piece of [...pieces, undefined]) {
    const { parts, isDone } = cutter.push(
      piece === undefined ? { type: 'finish', reason: 'length' } : { type: 'text', text: piece },
    );
    text += parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const finish = parts.find((part) => part.type === 'finish');
    if (finish?.type === 'finish') return { text, ...finish, isDone };
  }
  throw new Error('not reached');
}

test('the answer ends before the first stop sequence, even if it comes in pieces', () => {
  expect(cut(['one E', 'N', 'D two'], ['X', 'END'])).toMatchObject({
    text: 'one ',
    reason: 'stop',
    stopSequence: 'END',
    isDone: true,
  });
});

test('text that only looked like a stop sequence is passed on', () => {
  expect(cut(['one E', 'N', 'd'], ['END'])).toMatchObject({ text: 'one ENd', reason: 'length', isDone: false });
  expect(cut(['one EN'], ['END'])).toMatchObject({ text: 'one EN', reason: 'length' });
});

test('a stop sequence that is complete ends the answer, although a longer one begins before it', () => {
  for (const pieces of [['xab', 'a'], ['xaba']])
    expect(cut(pieces, ['b', 'aba'])).toMatchObject({ text: 'xa', stopSequence: 'b' });
  expect(cut(['xab'], ['b', 'ab'])).toMatchObject({ text: 'x', stopSequence: 'ab' });
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
