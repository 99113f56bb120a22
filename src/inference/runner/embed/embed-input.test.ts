import { describe, expect, test } from 'vitest';
import type { Vocabulary } from '../llama/vocabulary.ts';
import { createEmbedTokenizer } from './embed-input.ts';

/** A word is a token; white space is none. 1 and 2 are the special tokens around a text. */
function words(head: readonly number[], tail: readonly number[]): Vocabulary {
  const tokenize = (text: string): number[] => {
    if (text === '\n') return [9];
    return text.split(/ +/).flatMap((word) => (word === '' ? [] : [100 + word.length]));
  };
  return {
    tokenize: (text: string, { addSpecial }: { addSpecial: boolean }) =>
      addSpecial ? [...head, ...tokenize(text), ...tail] : tokenize(text),
  } as Vocabulary;
}

const cut = { truncate: true };
const strict = { truncate: false };
const tooLong = 'the input length exceeds the context length';

describe('with special tokens around a text', () => {
  const { tokenize } = createEmbedTokenizer(words([1], [2]), 5);

  test.each([
    ['a bb', [1, 101, 102, 2]],
    ['', [1, 2]],
    ['a bb ccc', [1, 101, 102, 103, 2]],
  ])('%j fits', (text, expected) => {
    expect(tokenize(text, strict)).toEqual(expected);
    expect(tokenize(text, cut)).toEqual(expected);
  });

  test('a longer text is cut at the end, and keeps its special tokens', () => {
    expect(tokenize('a bb ccc dddd', cut)).toEqual([1, 101, 102, 103, 2]);
    expect(() => tokenize('a bb ccc dddd', strict)).toThrow(tooLong);
  });

  test('a limit that is shorter than the context applies', () => {
    expect(tokenize('a bb', { truncate: true, maxTokens: 3 })).toEqual([1, 101, 2]);
    expect(() => tokenize('a bb', { truncate: false, maxTokens: 3 })).toThrow(tooLong);
    expect(() => tokenize('a bb', { truncate: true, maxTokens: 0 })).toThrow('input after truncation exceeds');
    expect(tokenize('a bb ccc dddd', { truncate: true, maxTokens: 9 })).toHaveLength(5);
  });

  test('much white space is not a long text', () => {
    expect(tokenize(`a${' '.repeat(10_000)}bb`, strict)).toEqual([1, 101, 102, 2]);
  });

  test('a text that would be cut entirely is an error', () => {
    const tiny = createEmbedTokenizer(words([1], [2]), 2);
    expect(tiny.tokenize('', cut)).toEqual([1, 2]);
    expect(() => tiny.tokenize('a', cut)).toThrow('input after truncation exceeds maximum context length');
    expect(() => tiny.tokenize('a', strict)).toThrow(tooLong);
  });
});

test('without special tokens', () => {
  const { tokenize } = createEmbedTokenizer(words([], []), 2);
  expect(tokenize('a bb ccc', cut)).toEqual([101, 102]);
  expect(tokenize('', cut)).toEqual([9]);
});
