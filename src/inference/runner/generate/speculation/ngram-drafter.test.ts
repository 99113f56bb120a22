import { describe, expect, test } from 'vitest';
import type { Drafter, DraftSituation } from './drafter.ts';
import { createNgramDrafter } from './ngram-drafter.ts';

const tokensOf = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const line = 'the quick brown fox jumps over the lazy dog. ';
/** A row costs this share of a pass with one row, and 64 of them share a tile in a long context. */
const costsOf = (perRow: number) => ({
  costOf: ({ rows, cells }: { rows: number; cells: number }) =>
    rows === 64 && cells >= 512 ? 14 : 1 + perRow * (rows - 1),
});
const cheap = costsOf(0.2);

/** What is drafted after a prompt and the beginning of an answer. */
function draftAfter(prompt: string, answer: string, situation: Partial<DraftSituation> = {}, costs = cheap): string {
  const tokens = tokensOf(prompt + answer);
  const draft = createNgramDrafter(costs).draft(tokens, { generated: answer.length, room: 100, ...situation });
  return String.fromCharCode(...draft);
}

describe('a drafter of repeated text', () => {
  test('drafts what followed the same tokens', () => {
    expect(draftAfter(line, 'the quick brown ')).toBe('fox jum');
  });

  test('counts only tokens of the answer as a match', () => {
    expect(draftAfter(`${line}the quick br`, 'own ')).toBe('');
  });

  test('drafts no more than there is room for, and nothing if that is too little', () => {
    expect(draftAfter(line, 'the quick brown ', { room: 5 })).toBe('fox');
    expect(draftAfter(line, 'the quick brown ', { room: 2 })).toBe('');
  });

  test('repeats a copy that reaches the end', () => {
    expect(draftAfter('', 'ab.ab.ab.ab.ab.')).toBe('ab.ab.a');
  });

  test('does not draft an image', () => {
    const draftOf = (following: readonly number[]): readonly number[] => {
      const tokens = [...tokensOf('123456789abc'), ...following, ...tokensOf('123456789abc')];
      return createNgramDrafter(cheap).draft(tokens, { generated: 12, room: 100 });
    };
    expect(draftOf([1, 2, 3, 4, -7, -8])).toEqual([1, 2, 3]);
    expect(draftOf([1, -7, -8])).toEqual([]);
  });

  test('drafts nothing where it would cost more than it yields', () => {
    expect(draftAfter(line, 'the quick brown ', {}, costsOf(0.85))).toBe('');
  });

  test('drafts 63 tokens or nothing where only a full tile pays, after a match that is worth its cost', () => {
    const long = Array.from({ length: 600 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
    const draft = (count: number, room = 100): string =>
      draftAfter(long, long.slice(0, count), { room }, costsOf(0.85));
    expect(draft(32)).toBe('');
    expect(draft(33)).toBe(long.slice(33, 33 + 63));
    expect(draft(33, 62)).toBe('');
  });

  test('stops after wrong drafts, and starts again after a longer match', () => {
    const drafter = createNgramDrafter(cheap);
    const draft = (answer: string): number =>
      drafter.draft(tokensOf(line + answer), { generated: answer.length, room: 100 }).length;
    expect(draft('the quick brown')).toBe(7);
    drafter.learn({ drafted: 7, accepted: 0 }, 60);
    expect(draft('the quick brown')).toBe(0);
    expect(draft('the quick brown fox jumps')).toBe(7);
    drafter.learn({ drafted: 7, accepted: 7 }, 70);
    expect(draft('a brown fox')).toBe(0);
    expect(draft('a quick brown fox')).toBeGreaterThan(0);
  });
});

describe('a drafter of a predicted text', () => {
  const drafterOf = (prediction: string) => createNgramDrafter(cheap, tokensOf(prediction));
  const draft = (drafter: Drafter, answer: string): string =>
    String.fromCharCode(...drafter.draft(tokensOf(`?${answer}`), { generated: answer.length, room: 100 }));

  test('drafts after four tokens what follows them in the prediction', () => {
    const drafter = drafterOf(line);
    expect(draft(drafter, 'the')).toBe('');
    expect(draft(drafter, 'the ')).toBe('qui');
    expect(draft(drafter, 'the quick')).toBe(' brown ');
  });

  test('prefers the place where the answer is', () => {
    const drafter = drafterOf(Array.from({ length: 20 }, (_, index) => `row ${index % 3}; `).join(''));
    expect(draft(drafter, 'row ')).toBe('0; ');
    drafter.learn({ drafted: 3, accepted: 3 }, 10);
    expect(draft(drafter, 'row 0; row ')).toBe('1; row ');
  });

  test('continues after an edit', () => {
    const drafter = drafterOf(line);
    expect(draft(drafter, 'a slow brown')).toBe(' fox ju');
  });

  test('drafts nothing after the end of the prediction, and nothing that only the answer repeats', () => {
    const drafter = drafterOf(line);
    expect(draft(drafter, 'lazy dog. ')).toBe('');
    expect(draft(drafter, 'my hat, my hat, my hat, my hat')).toBe('');
  });

  test('does not trust a prediction that is wrong', () => {
    const drafter = drafterOf(line);
    let drafted = 0;
    for (let count = 0; count < 100; count++) {
      const { length } = draft(drafter, 'the quick');
      if (length === 0) break;
      drafted += length;
      drafter.learn({ drafted: length, accepted: 0 }, 10);
    }
    expect(drafted).toBeLessThan(30);
  });
});
