import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { pipe } from '../../../base/pipe.ts';
import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import { type InfillLimits, limitAnswer } from './infill.ts';

const noLimits: InfillLimits = { minIndent: 0, maxTimeMs: 0 };

/** The text and the reason of an answer whose texts take 10 ms each. */
async function limited(texts: readonly string[], limits: Partial<InfillLimits>) {
  const clock = createFakeClock();
  async function* answer(): AsyncGenerator<AnswerEvent> {
    yield { type: 'started', promptTokens: 7, cachedTokens: 2, droppedTokens: 0 };
    for (const [index, text] of texts.entries()) {
      yield { type: 'tokens', text, generatedTokens: index + 1 };
      yield { type: 'text', text };
      clock.advance(10);
    }
  }
  let text = '';
  let done: AnswerEvent | undefined;
  for await (const event of pipe(answer(), limitAnswer(clock, { ...noLimits, ...limits }))) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'done') done = event;
  }
  return { text, done };
}

test.each([
  ['the first line is not checked', ['x', '\n    y'], 4, 'x\n    y', false],
  ['a line with less white space ends the answer', ['x\n    y\n', '  z', 'more'], 4, 'x\n    y\n  ', true],
  ['empty lines do not', ['x\n\n\t\t', 'y'], 2, 'x\n\n\t\ty', false],
  ['white space may arrive in parts', ['x\n ', ' ', ' y'], 3, 'x\n   y', false],
  ['without a limit, nothing ends', ['x\ny'], 0, 'x\ny', false],
])('n_indent: %s', async (_, texts, minIndent, text, isCut) => {
  const answer = await limited(texts, { minIndent });
  expect([answer.text, answer.done !== undefined]).toEqual([text, isCut]);
});

test('t_max_predict_ms: an answer that takes longer ends once it has a line break', async () => {
  const { text, done } = await limited(['a', 'b', 'c', 'd\n', 'e', 'f'], { maxTimeMs: 15 });
  expect(text).toBe('abcd\n');
  expect(done).toMatchObject({ reason: 'length', promptTokens: 7, cachedTokens: 2, generatedTokens: 4 });
  expect((await limited(['a', 'b', 'c'], { maxTimeMs: 15 })).text).toBe('abc');
});
