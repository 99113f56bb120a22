import { describe, expect, test } from 'vitest';
import { patternOf, splitAtSpecial } from '../llama/vocabulary.ts';
import { fillSegments, parseRankTemplate } from './rank-template.ts';

const special = patternOf(['<s>', '</s>']);
const vocabulary = { segmentsOf: (text: string) => splitAtSpecial(text, special) };
const parse = (text: string) => parseRankTemplate(text, vocabulary);
const textOf = (segments: readonly { readonly text: string }[]): string => segments.map(({ text }) => text).join('');

describe('parsing', () => {
  test('the document divides the template', () => {
    expect(parse('<s>Q: {query} D: {document}</s>?')).toEqual({
      before: [
        { text: '<s>', special: true },
        { text: 'Q: {query} D: ', special: false },
      ],
      after: [
        { text: '</s>', special: true },
        { text: '?', special: false },
      ],
      instruction: '',
    });
  });

  test('the last segment before the document is a text, also after a special token', () => {
    expect(parse('{query}<s>{document}').before.at(-1)).toEqual({ text: '', special: false });
    expect(parse('{document}{query}').before).toEqual([{ text: '', special: false }]);
  });

  test("Qwen's fixed instruction becomes a place for one", () => {
    const { before, instruction } = parse('<s><Instruct>: Be strict\n<Query>: {query}\n<Document>: {document}');
    expect(instruction).toBe('Be strict');
    expect(textOf(before)).toBe('<s><Instruct>: {instruction}\n<Query>: {query}\n<Document>: ');
  });

  test('an instruction at the end', () => {
    expect(parse('{document} {query} <Instruct>: Be strict').instruction).toBe('Be strict');
  });

  test.each(['{query}', '{document}', '{query} {document} {document}', ''])('%j is refused', (text) => {
    expect(() => parse(text)).toThrow('the rerank template must have {query} and one {document}');
  });
});

test('texts replace their marks, are not searched for marks, and special tokens stay', () => {
  const { before } = parse('<s>{instruction}: {query}, {query}{document}');
  const filled = fillSegments(before, { query: "$& {instruction} {query} $'", instruction: 'do {query}' });
  expect(filled).toEqual([
    { text: '<s>', special: true },
    { text: "do {query}: $& {instruction} {query} $', $& {instruction} {query} $'", special: false },
  ]);
});
