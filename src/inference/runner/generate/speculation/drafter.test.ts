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
    expect(draftAfter(line, 'the quick ')).toBe('brown f');
  });

  test('counts only tokens of the answer as a match', () => {
    expect(draftAfter(`${line}the qui`, 'ck ')).toBe('');
  });

  test('drafts no more than there is room for, and nothing if that is too little', () => {
    expect(draftAfter(line, 'the quick ', { room: 5 })).toBe('brown');
    expect(draftAfter(line, 'the quick ', { room: 3 })).toBe('');
  });

  test('repeats a copy that reaches the end', () => {
    expect(draftAfter('', 'ab.ab.ab.ab.')).toBe('ab.ab.a');
  });

  test('does not draft an image', () => {
    const draftOf = (following: readonly number[]): readonly number[] => {
      const tokens = [...tokensOf('12345678'), ...following, ...tokensOf('12345678')];
      return createDrafter().draft(tokens, { generated: 8, room: 100 });
    };
    expect(draftOf([1, 2, 3, 4, -7, -8])).toEqual([1, 2, 3, 4]);
    expect(draftOf([1, -7, -8])).toEqual([]);
  });

  test('stops after wrong drafts, and starts again after a longer match', () => {
    const drafter = createDrafter();
    const draft = (answer: string): number =>
      drafter.draft(tokensOf(line + answer), { generated: answer.length, room: 100 }).length;
    expect(draft('the quick')).toBe(7);
    drafter.learn({ drafted: 7, accepted: 0 });
    expect(draft('the quick')).toBe(0);
    expect(draft('the quick brown fox')).toBe(7);
    drafter.learn({ drafted: 7, accepted: 7 });
    expect(draft('a fox')).toBe(15);
  });
});
