import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModelPointer } from './bindings/pointers.ts';
import { findBackend } from './find-backend.ts';
import { openBackend } from './open-backend.ts';
import { createVocabulary, patternOf, splitAtSpecial, splitBeforeSpecial, type Vocabulary } from './vocabulary.ts';

const emberPath = fileURLToPath(new URL('../../../../models/ember-q4_k_m.gguf', import.meta.url));

describe('long texts are split before special tokens', () => {
  const special = patternOf(['<|a|>', '<|ab|>', '[x]']);

  test('the segments are the entire text, and each but the first begins with a special token', () => {
    const text = `${'word '.repeat(1500)}<|a|>${'x'.repeat(5000)}[x]<|ab|>${'y'.repeat(5000)}<|ab|>z`;
    const segments = splitBeforeSpecial(text, special);
    expect(segments.join('')).toBe(text);
    expect(segments.length).toBe(4);
    for (const segment of segments.slice(1)) expect(segment).toMatch(/^(<\|a\|>|<\|ab\|>|\[x\])/);
  });

  test('short texts and texts without special tokens are not split', () => {
    expect(splitBeforeSpecial('a<|a|>b', special)).toEqual(['a<|a|>b']);
    expect(splitBeforeSpecial('x'.repeat(99_999), special)).toHaveLength(1);
    expect(splitBeforeSpecial('<|a|>'.repeat(9999), patternOf([]))).toHaveLength(1);
  });
});

test('special tokens and the texts between them are segments', () => {
  const special = patternOf(['<|a|>', '<|ab|>']);
  expect(splitAtSpecial('<|ab|>x{y}<|a|><|a|>z', special)).toEqual([
    { text: '<|ab|>', special: true },
    { text: 'x{y}', special: false },
    { text: '<|a|>', special: true },
    { text: '<|a|>', special: true },
    { text: 'z', special: false },
  ]);
  expect(splitAtSpecial('', special)).toEqual([]);
});

describe("Ember's vocabulary", () => {
  let vocabulary: Vocabulary;
  beforeAll(() => {
    const api = openBackend(findBackend('cpu'));
    const model = api.modelLoad(emberPath, { ...api.modelDefaultParams(), vocab_only: true }) as ModelPointer;
    vocabulary = createVocabulary(api, api.modelVocab(model));
  });

  const textOf = (tokens: readonly number[]): string => Buffer.concat(tokens.map(vocabulary.pieceOf)).toString('utf8');

  test.each([
    'Hello, world!',
    'line\n\nbreak\ttab',
    '中文 ünïcödé 👍🏽',
    '<|im_start|>user\nHi<|im_end|>',
    ' leading',
    '',
  ])('%j is the same after tokenizing and detokenizing', (text) => {
    expect(textOf(vocabulary.tokenize(text, { addSpecial: false }))).toBe(text);
  });

  test('special tokens are one token each, and end tokens are recognized', () => {
    const [token, ...others] = vocabulary.tokenize('<|im_end|>', { addSpecial: false });
    expect(others).toEqual([]);
    expect(vocabulary.isEnd(token as number)).toBe(true);
    expect(vocabulary.isEnd(vocabulary.tokenize('a', { addSpecial: false })[0] as number)).toBe(false);
    expect(vocabulary.endTokens()).toContain(token);
    expect(vocabulary.endTokens().every(vocabulary.isEnd)).toBe(true);
  });

  test('in a plain text, the names of control tokens are text', () => {
    const text = 'a<|im_end|>b<|im_start|>';
    const tokens = vocabulary.tokenize(text, { addSpecial: false, plain: true });
    expect(tokens.some(vocabulary.isControl)).toBe(false);
    expect(textOf(tokens)).toBe(text);
    const usual = 'Hello, world!';
    expect(vocabulary.tokenize(usual, { addSpecial: false, plain: true })).toEqual(
      vocabulary.tokenize(usual, { addSpecial: false }),
    );
  });

  test('segments with their special tokens give the tokens of the text', () => {
    const text = '<|im_start|>user\nHi<|im_end|>\n';
    const tokens = vocabulary
      .segmentsOf(text)
      .flatMap(({ text, special }) => vocabulary.tokenize(text, { addSpecial: false, plain: !special }));
    expect(tokens).toEqual(vocabulary.tokenize(text, { addSpecial: false }));
  });

  test('a long text full of special tokens gives the same tokens as its parts', () => {
    const turn = '<|im_start|>user\nWhat is the capital of France?<|im_end|>\n';
    const once = vocabulary.tokenize(turn, { addSpecial: false });
    const many = vocabulary.tokenize(turn.repeat(500), { addSpecial: false });
    expect(many).toEqual(Array.from({ length: 500 }, () => once).flat());
  });

  test('a megabyte of special tokens does not take minutes', () => {
    expect(vocabulary.tokenize('<|im_end|>'.repeat(100_000), { addSpecial: false })).toHaveLength(100_000);
  });

  test('newlines are recognized', () => {
    const [newline] = vocabulary.tokenize('\n', { addSpecial: false });
    expect(vocabulary.isNewline(newline as number)).toBe(true);
  });
});
