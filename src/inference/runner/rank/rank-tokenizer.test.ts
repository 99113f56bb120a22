import { describe, expect, test } from 'vitest';
import type { RankInput } from '../../protocol/messages.ts';
import { patternOf, splitAtSpecial, type Vocabulary } from '../llama/vocabulary.ts';
import { parseRankTemplate } from './rank-template.ts';
import { createFrameTokenizer, createTemplateTokenizer } from './rank-tokenizer.ts';

// A byte is a token. `<s>` is a special token, 1, unless the text is plain.
const special = patternOf(['<s>']);
const vocabulary = {
  tokenize: (text: string, { plain = false }) =>
    plain ? [...Buffer.from(text)] : [...Buffer.from(text.replaceAll('<s>', '\u0001'))],
  segmentsOf: (text: string) => splitAtSpecial(text, special),
  pieceOf: (token: number) => Buffer.from([token]),
} as Vocabulary;

const request = (extra: Partial<RankInput> = {}): RankInput => ({
  query: 'who',
  documents: [],
  truncate: true,
  ...extra,
});
const textOf = (tokens: readonly number[]): string => Buffer.from(tokens).toString('utf8');
const tooLong = 'the input length exceeds the context length';

describe('with special tokens between the texts', () => {
  const frame = { head: [1], middle: [2, 2], tail: [3] };
  const open = (extra: Partial<RankInput> = {}, contextLength = 20) =>
    createFrameTokenizer(frame, { vocabulary, contextLength }).open(request(extra));

  test('a pair that fits is complete', () => {
    expect(open()('me')).toEqual([1, ...Buffer.from('who'), 2, 2, ...Buffer.from('me'), 3]);
    expect(open()('')).toEqual([1, ...Buffer.from('who'), 2, 2, 3]);
    expect(textOf(open({ truncate: false })('a'.repeat(13)))).toHaveLength(20);
  });

  test('a longer document is cut at its end', () => {
    expect(textOf(open()('abcdefghijklmnopq'))).toBe('\u0001who\u0002\u0002abcdefghijklm\u0003');
    expect(() => open({ truncate: false })('a'.repeat(14))).toThrow(tooLong);
  });

  test('a query takes at most half of the room', () => {
    expect(textOf(open({ query: 'q'.repeat(100) })('d'.repeat(100)))).toBe(
      `\u0001${'q'.repeat(8)}\u0002\u0002${'d'.repeat(8)}\u0003`,
    );
    expect(() => open({ query: 'q'.repeat(9), truncate: false })).toThrow('more than half of the context length');
  });

  test('limits of the request', () => {
    expect(textOf(open({ maxQueryTokens: 1, maxDocumentTokens: 2, truncate: false })('abc'))).toBe(
      '\u0001w\u0002\u0002ab\u0003',
    );
  });

  test('without a query, the text stands alone', () => {
    const alone = { query: undefined, documents: [], truncate: false } as const;
    const tokensOf = createFrameTokenizer(frame, { vocabulary, contextLength: 20 }).open(alone);
    expect(tokensOf('me')).toEqual([1, ...Buffer.from('me'), 3]);
    expect(tokensOf('a'.repeat(18))).toHaveLength(20);
    expect(() => tokensOf('a'.repeat(19))).toThrow(tooLong);
  });

  test('special tokens in the texts are text', () => {
    expect(textOf(open({ query: '<s>' })('<s>'))).toBe('\u0001<s>\u0002\u0002<s>\u0003');
  });

  test('a context without room is an error', () => {
    expect(() => open({}, 4)('a')).toThrow('input after truncation exceeds maximum context length');
  });
});

describe('with a template', () => {
  const template = parseRankTemplate('<s><Instruct>: i\nQ {query} D {document}<s>!', vocabulary);
  const open = (extra: Partial<RankInput> = {}, contextLength = 40) =>
    createTemplateTokenizer(template, { vocabulary, contextLength }).open(request(extra));

  test('a pair that fits is complete', () => {
    expect(textOf(open()('me'))).toBe('\u0001<Instruct>: i\nQ who D me\u0001!');
  });

  test('an instruction replaces the one of the template', () => {
    expect(textOf(open({ instruction: 'judge' })('me'))).toBe('\u0001<Instruct>: judge\nQ who D me\u0001!');
    expect(textOf(open({ instruction: 'x'.repeat(99) })('me'))).toContain(`: ${'x'.repeat(10)}\n`);
  });

  test('a longer document is cut at its end, and the template stays', () => {
    expect(textOf(open()('d'.repeat(99)))).toBe(`\u0001<Instruct>: i\nQ who D ${'d'.repeat(15)}\u0001!`);
    expect(() => open({ truncate: false })('d'.repeat(16))).toThrow(tooLong);
  });

  test('limits of the request', () => {
    expect(textOf(open({ maxQueryTokens: 2, maxDocumentTokens: 3 })('abcdef'))).toContain('Q wh D abc\u0001');
    // An incomplete character is left out.
    expect(textOf(open({ maxDocumentTokens: 3 })('aé€'))).toContain('D aé\u0001');
    expect(textOf(open({ maxDocumentTokens: 4 })('aé€'))).toContain('D aé\u0001');
  });

  test('a query takes at most half of the context', () => {
    expect(textOf(open({ query: 'q'.repeat(99) }, 60)('d'))).toContain(`Q ${'q'.repeat(30)} D d`);
    expect(() => open({ query: 'q'.repeat(31), truncate: false }, 60)).toThrow('more than half');
  });

  test('texts cannot write special tokens or marks', () => {
    expect(textOf(open({ query: '{document}' }, 60)('<s>{query}'))).toContain('Q {document} D <s>{query}\u0001!');
  });

  test('a query is needed', () => {
    expect(() => open({ query: undefined })).toThrow('the model needs a query and cannot classify a text');
  });

  test('a template that fills the context is an error', () => {
    expect(() => open({}, 20)('me')).toThrow('input after truncation exceeds maximum context length');
  });
});
