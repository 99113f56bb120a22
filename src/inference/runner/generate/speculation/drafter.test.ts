import { describe, expect, test } from 'vitest';
import { createDrafter, type DraftSituation } from './drafter.ts';

const tokensOf = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const line = 'the quick brown fox jumps over the lazy dog. ';

/** What is drafted after a prompt and the beginning of an answer. */
function draftAfter(prompt: string, answer: string, situation: Partial<DraftSituation> = {}): string {
  const tokens = tokensOf(prompt + answer);
  const draft = createDrafter().draft(tokens, { generated: answer.length, room: 100, ...situation });
  return String.fromCharCode(...draft);
}

describe('a drafter', () => {
  test('drafts what followed the same tokens', () => {
    expect(draftAfter(line, 'the quick brown ')).toBe('fox jum');
  });

  test('counts only tokens of the answer as a match', () => {
    expect(draftAfter(`${line}the quick br`, 'own ')).toBe('');
  });

  test('drafts no more than there is room for, and nothing if that is too little', () => {
    expect(draftAfter(line, 'the quick brown ', { room: 5 })).toBe('fox j');
    expect(draftAfter(line, 'the quick brown ', { room: 3 })).toBe('');
  });

  test('repeats a copy that reaches the end', () => {
    expect(draftAfter('', 'ab.ab.ab.ab.ab.')).toBe('ab.ab.a');
  });

  test('does not draft an image', () => {
    const draftOf = (following: readonly number[]): readonly number[] => {
      const tokens = [...tokensOf('123456789abc'), ...following, ...tokensOf('123456789abc')];
      return createDrafter().draft(tokens, { generated: 12, room: 100 });
    };
    expect(draftOf([1, 2, 3, 4, -7, -8])).toEqual([1, 2, 3, 4]);
    expect(draftOf([1, -7, -8])).toEqual([]);
  });

  test('drafts 63 tokens or nothing in a long context, after a longer match', () => {
    const long = Array.from({ length: 600 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
    expect(draftAfter(long, long.slice(0, 23))).toBe('');
    expect(draftAfter(long, long.slice(0, 24))).toBe(long.slice(24, 24 + 63));
    expect(draftAfter(long, long.slice(0, 24), { room: 62 })).toBe('');
  });

  test('stops after wrong drafts, and starts again after a longer match', () => {
    const drafter = createDrafter();
    const draft = (answer: string): number =>
      drafter.draft(tokensOf(line + answer), { generated: answer.length, room: 100 }).length;
    expect(draft('the quick brown')).toBe(7);
    drafter.learn({ drafted: 7, accepted: 0 });
    expect(draft('the quick brown')).toBe(0);
    expect(draft('the quick brown fox jumps')).toBe(7);
    drafter.learn({ drafted: 7, accepted: 7 });
    expect(draft('a brown fox')).toBe(0);
    expect(draft('a quick brown fox')).toBe(15);
  });
});
