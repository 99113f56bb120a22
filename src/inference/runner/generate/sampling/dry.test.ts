import { expect, test } from 'vitest';
import { createDry, type DrySettings } from './dry.ts';

const settings: DrySettings = { multiplier: 1, base: 2, allowedLength: 2, window: 64, breakers: [] };
/** A character is a token. */
const vocabulary = { pieceOf: (token: number) => Buffer.from([token]) };
const sources = { contextLength: 100, vocabulary };

/** The penalties of characters after a text. */
function penaltiesAfter(
  text: string,
  extra: Partial<DrySettings> = {},
  given: Parameters<typeof createDry>[1] = sources,
): Record<string, number> {
  const dry = createDry({ ...settings, ...extra }, given);
  for (const byte of Buffer.from(text)) dry.accept(byte);
  const logits = new Float32Array(256);
  dry.apply(logits);
  const changed = [...logits.entries()].filter(([, logit]) => logit !== 0);
  return Object.fromEntries(changed.map(([token, logit]) => [String.fromCharCode(token), -logit]));
}

test('a token that continues a repetition is penalized, the more the longer the repetition', () => {
  expect(penaltiesAfter('ab ab')).toEqual({ ' ': 1 });
  expect(penaltiesAfter('abc abc')).toEqual({ ' ': 2 });
  expect(penaltiesAfter('abcd abcd', { multiplier: 0.5, base: 3 })).toEqual({ ' ': 4.5 });
});

test('a repetition that is too short is not', () => {
  expect(penaltiesAfter('a a', { allowedLength: 2 })).toEqual({});
  expect(penaltiesAfter('abc abc', { allowedLength: 4 })).toEqual({});
  expect(penaltiesAfter('abcdef')).toEqual({});
});

test('of several repetitions, the longest counts for each token', () => {
  // After "abc" came x and y, after "bc" came z.
  expect(penaltiesAfter('abcx-abcy+bcz abc')).toEqual({ x: 2, y: 2, z: 1 });
});

test('the lengths are those of a plain comparison', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const text = Array.from({ length: 40 }, (_, index) => 'ab'[(seed >> (index % 8)) & 1]).join('');
    expect(penaltiesAfter(text)).toEqual(comparePlainly(text));
  }
});

function comparePlainly(text: string): Record<string, number> {
  const penalties: Record<string, number> = {};
  for (let end = 1; end < text.length; end++) {
    let repeated = 0;
    while (repeated < end && text[end - 1 - repeated] === text[text.length - 1 - repeated]) repeated++;
    const next = text[end] as string;
    if (repeated >= 2) penalties[next] = Math.max(penalties[next] ?? 0, 2 ** (repeated - 2));
  }
  return penalties;
}

test('no repetition extends over a breaker, and breakers are not penalized', () => {
  expect(penaltiesAfter('abc:abc:', { breakers: [':'] })).toEqual({});
  expect(penaltiesAfter('x:abc x:ab', { breakers: [':'] })).toEqual({ c: 1 });
  expect(penaltiesAfter('ab:ab', { breakers: [':'] })).toEqual({});
});

test('a breaker of several tokens', () => {
  expect(penaltiesAfter('abc--abc', { breakers: ['--', ''] })).toEqual({ '-': 2 });
  expect(penaltiesAfter('ab--cd ab--cd', { breakers: ['--'] })).toEqual({ ' ': 1 });
  // A short breaker before the last tokens does not end in them.
  expect(penaltiesAfter(':abc abc', { breakers: [':', '123456'] })).toEqual({ ' ': 2 });
});

test('only the window counts, also after many tokens', () => {
  expect(penaltiesAfter('abc abc', { window: 4 })).toEqual({});
  expect(penaltiesAfter(`${'-.'.repeat(50)}abc abc`, { window: 8 })).toEqual({ ' ': 2 });
  expect(penaltiesAfter('abc abc', { window: -1 }, { ...sources, contextLength: 5 })).toEqual({});
  expect(penaltiesAfter('abc abc', { window: -1 })).toEqual({ ' ': 2 });
});

test('a penalty is finite', () => {
  const text = 'a'.repeat(99);
  expect(penaltiesAfter(text, { base: 1000, multiplier: 1000 })['a']).toSatisfy(Number.isFinite);
});

test('nothing is done without a multiplier or a window', () => {
  expect(penaltiesAfter('abc abc', { multiplier: 0 })).toEqual({});
  expect(penaltiesAfter('abc abc', { window: 0 })).toEqual({});
});

test('the end of a long prompt is read, not all of it', () => {
  let read = 0;
  const counting = {
    pieceOf(token: number) {
      read++;
      return Buffer.from([token]);
    },
  };
  penaltiesAfter('ab'.repeat(50_000), { breakers: ['xyz'] }, { contextLength: 1e6, vocabulary: counting });
  expect(read).toBeLessThan(300);
});
