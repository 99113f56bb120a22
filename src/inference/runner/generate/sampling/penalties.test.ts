import { expect, test } from 'vitest';
import { createPenalties } from './penalties.ts';

const settings = { repeatLastN: 4, repeatPenalty: 1, presencePenalty: 0, frequencyPenalty: 0, penalizeNewline: true };
const newline = 3;
const sources = { contextLength: 2, vocabulary: { isNewline: (token: number) => token === newline } };

function apply(extra: Partial<typeof settings>, tokens: readonly number[], logits: readonly number[]): number[] {
  const penalties = createPenalties({ ...settings, ...extra }, sources);
  tokens.forEach(penalties.accept);
  const array = Float32Array.from(logits);
  penalties.apply(array);
  return [...array];
}

test('a repeated token becomes less likely, whatever the sign of its logit', () => {
  expect(apply({ repeatPenalty: 2 }, [0, 1], [4, -4, 4])).toEqual([2, -8, 4]);
});

test('presence counts once, frequency each time', () => {
  expect(apply({ presencePenalty: 1 }, [0, 0, 0], [5, 5])).toEqual([4, 5]);
  expect(apply({ frequencyPenalty: 1 }, [0, 0, 0], [5, 5])).toEqual([2, 5]);
});

test('tokens before the window do not count', () => {
  expect(apply({ presencePenalty: 1 }, [0, 1, 1, 1, 1], [5, 5])).toEqual([5, 4]);
  expect(apply({ presencePenalty: 1, repeatLastN: 0 }, [0, 1], [5, 5])).toEqual([5, 5]);
});

test('a negative window is the entire context', () => {
  expect(apply({ presencePenalty: 1, repeatLastN: -1 }, [0, 1, 1], [5, 5])).toEqual([5, 4]);
});

test('newlines are penalized unless the option says otherwise', () => {
  expect(apply({ presencePenalty: 1 }, [newline], [5, 5, 5, 5])).toEqual([5, 5, 5, 4]);
  expect(apply({ presencePenalty: 1, penalizeNewline: false }, [newline], [5, 5, 5, 5])).toEqual([5, 5, 5, 5]);
});

test('a token outside the vocabulary is ignored', () => {
  expect(apply({ presencePenalty: 1 }, [99], [5])).toEqual([5]);
});
