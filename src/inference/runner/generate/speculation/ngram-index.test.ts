import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNgramIndex, minMatch } from './ngram-index.ts';

const tokensOf = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const find = (text: string, max = 100) => createNgramIndex().find(tokensOf(text), max);

describe('find', () => {
  test('returns the token after the earlier occurrence, and the length of the match', () => {
    expect(find('one two three, one two ')).toEqual({ next: 8, length: 8 });
  });

  test('prefers the longest occurrence, then the latest', () => {
    expect(find('xabcdef.yabcdeg.xabcde')).toEqual({ next: 6, length: 6 });
    expect(find('abcde1.abcde2,abcde')).toEqual({ next: 12, length: 5 });
  });

  test('finds an occurrence that overlaps the end', () => {
    expect(find('aaaaaaaa')).toEqual({ next: 7, length: 7 });
  });

  test.each([
    ['a match that is too short', 'abc1 abc', 100],
    ['no repetition', 'abcdefghijk', 100],
    ['too few tokens', 'abc', 100],
    ['a limit below the shortest match', 'abcdef.abcdef', minMatch - 1],
  ])('returns nothing for %s', (_, text, max) => {
    expect(find(text, max)).toBeUndefined();
  });

  test('compares no more tokens than the limit', () => {
    expect(find('abcdefgh.abcdefgh', 6)).toEqual({ next: 8, length: 6 });
  });

  test('follows tokens that are added, and tokens that a context shift removes', () => {
    const index = createNgramIndex();
    const tokens = tokensOf('abcdefgh.');
    expect(index.find(tokens, 100)).toBeUndefined();
    tokens.push(...tokensOf('abcdef'));
    expect(index.find(tokens, 100)).toEqual({ next: 6, length: 6 });
    tokens.splice(0, 9);
    expect(index.find(tokens, 100)).toBeUndefined();
    tokens.push(...tokensOf('.bcdef'));
    expect(index.find(tokens, 100)).toEqual({ next: 6, length: 5 });
  });

  test('every match is an equal run of tokens that ends before the end', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 60 }), (tokens) => {
        const match = createNgramIndex().find(tokens, 20);
        if (match === undefined) return;
        expect(match.next).toBeLessThan(tokens.length);
        expect(tokens.slice(match.next - match.length, match.next)).toEqual(tokens.slice(-match.length));
      }),
    );
  });
});
