import { expect, test } from 'vitest';
import type { AnswerPart } from './answer-part.ts';
import { createTextJoiner } from './join-texts.ts';

const text = (value: string): AnswerPart => ({ type: 'text', text: value });
const thinking = (value: string): AnswerPart => ({ type: 'thinking', text: value });
function joined(parts: readonly AnswerPart[]): AnswerPart[] {
  const passed: AnswerPart[] = [];
  const joiner = createTextJoiner((part) => passed.push(part));
  for (const part of parts) joiner.push(part);
  joiner.flush();
  joiner.flush();
  return passed;
}
const finish: AnswerPart = { type: 'finish', reason: 'stop' };

test('texts of the same type are joined, and the order is kept', () => {
  const parts = [thinking('a'), thinking('b'), text('c'), text('d'), finish, text('e')];
  expect(joined(parts)).toEqual([{ ...thinking('ab'), pieces: 2 }, { ...text('cd'), pieces: 2 }, finish, text('e')]);
});

test('log probabilities are joined, too', () => {
  const [one, two] = [{ logprob: -1 }, { logprob: -2 }] as never[];
  const parts: AnswerPart[] = [
    { type: 'text', text: 'a', logprobs: [one as never] },
    { type: 'text', text: 'b', logprobs: [two as never] },
  ];
  expect(joined(parts)).toEqual([{ type: 'text', text: 'ab', pieces: 2, logprobs: [one, two] }]);
});
