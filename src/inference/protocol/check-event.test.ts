import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRunnerEvent } from './check-event.ts';

const done = {
  type: 'done',
  id: 1,
  reason: 'stop',
  promptTokens: 3,
  promptNanoseconds: 5,
  generatedTokens: 7,
  generateNanoseconds: 9,
};

const embedded = (vector: unknown) => ({ type: 'embedded', id: 1, vectors: [{ index: 0, tokens: 2, vector }] });

test('an event is an event, with and without its optional parts', () => {
  expect(isRunnerEvent(done)).toBe(true);
  expect(isRunnerEvent({ ...done, context: [1, 2, 3] })).toBe(true);
  expect(isRunnerEvent({ type: 'text', pieces: [{ id: 1, text: 'a' }] })).toBe(true);
  expect(isRunnerEvent(embedded('AACAPw=='))).toBe(true);
  expect(isRunnerEvent(embedded('AACAPwAAAEAAAEBA'))).toBe(true);
});

test.each([
  { ...done, reason: 'boredom' },
  { ...done, id: -1 },
  { ...done, promptTokens: 1.5 },
  { ...done, context: ['a'] },
  { type: 'text', pieces: [{ id: 1 }] },
  { type: 'text' },
  embedded(''),
  embedded('AACAP'),
  embedded('AAAA'),
  embedded('AACA\nPw=='),
  embedded([1, 2]),
  { type: 'embedded', id: 1, vectors: [{ index: -1, tokens: 2, vector: 'AACAPw==' }] },
  { type: 'embedded', id: 1 },
  { type: 'toString' },
  { type: '__proto__' },
  { type: 5 },
  [],
  null,
  'done',
])('%j is none', (value) => {
  expect(isRunnerEvent(value)).toBe(false);
});

test('no value at all makes the check throw', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(typeof isRunnerEvent(value)).toBe('boolean');
    }),
  );
});
