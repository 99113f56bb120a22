import { describe, expect, test } from 'vitest';
import type { Vocabulary } from './llama/vocabulary.ts';
import { cutMiddle, preparePrompt, truncate } from './prompt.ts';

/** A character is a token; 1 is the beginning of a text where the model wants one. */
function vocabulary(addsBos = false): Vocabulary {
  return {
    pointer: 0n as Vocabulary['pointer'],
    size: 256,
    addsBos,
    tokenize: (text, { addSpecial }) => [
      ...(addSpecial && addsBos ? [1] : []),
      ...Array.from(text, (c) => c.charCodeAt(0)),
    ],
    pieceOf: (token) => Buffer.from([token]),
    isEnd: () => false,
    isNewline: () => false,
    isBos: (token) => token === 1,
  };
}

const codes = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

describe('preparePrompt', () => {
  const prepare = (prompt: string, extra = {}, addsBos = false, length = 100) =>
    preparePrompt(vocabulary(addsBos), { context: [], prompt, numKeep: 4, ...extra }, length);

  test('a prompt that fits is left as it is', () => {
    expect(prepare('hello')).toEqual({ tokens: codes('hello'), keep: 4, dropped: 0 });
  });

  test('a context stands before the text', () => {
    expect(prepare('b', { context: [97] }).tokens).toEqual(codes('ab'));
  });

  test('the token that begins a text comes once, whoever wrote it', () => {
    expect(prepare('a', {}, true).tokens).toEqual([1, 97]);
    expect(prepare('\u0001a', {}, true).tokens).toEqual([1, 97]);
    expect(prepare('b', { context: [97] }, true).tokens).toEqual([1, 97, 98]);
    expect(prepare('b', { context: [1, 97] }, true).tokens).toEqual([1, 97, 98]);
  });

  test('num_keep: none, all, and the beginning token on top', () => {
    expect(prepare('hello', { numKeep: 0 }).keep).toBe(0);
    expect(prepare('hello', { numKeep: -1 }).keep).toBe(5);
    expect(prepare('hello', { numKeep: 2 }, true).keep).toBe(3);
    expect(prepare('x'.repeat(50), { numKeep: 1000 }, false, 20).keep).toBe(16);
  });

  test('a prompt that fills the context loses its middle', () => {
    const { tokens, dropped } = prepare('abcdefghijklmnopqrst', { numKeep: 2 }, false, 10);
    expect(tokens).toEqual(codes('abqrst'));
    expect(dropped).toBe(14);
  });

  test.each([[[-1]], [[256]], [[1.5]], [[Number.NaN]]])('the context %j is refused', (context) => {
    expect(() => prepare('a', { context })).toThrow('is not a token of this model');
  });

  test('nothing at all cannot be evaluated', () => {
    expect(() => prepare('')).toThrow('the prompt has no tokens');
  });
});

test('truncate always leaves something of the end, and room to answer', () => {
  for (let length = 4; length < 40; length++) {
    for (let keep = 0; keep <= length - 4; keep++) {
      const { tokens } = truncate(codes(`${'x'.repeat(99)}y`), keep, length);
      expect(tokens.at(-1)).toBe('y'.charCodeAt(0));
      expect(tokens.length).toBeLessThan(length);
    }
  }
});

test('a text without end is cut before it is tokenised', () => {
  expect(cutMiddle('abcdefgh', 4)).toBe('abgh');
  expect(cutMiddle('abc', 4)).toBe('abc');
});
