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

test('the result does not depend on the pieces', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  const stop = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(letters), fc.array(stop, { minLength: 1, maxLength: 3 }), (pieces, stops) => {
      const whole = pieces.join('');
      const starts = stops.map((text) => whole.indexOf(text)).filter((start) => start !== -1);
      const expected = starts.length === 0 ? whole : whole.slice(0, Math.min(...starts));
      expect(cut(pieces, stops).text).toBe(expected);
    }),
  );
});
