// The weights of a model that asks for a tool call and then reports what the tool returned. They are not trained but set:
//
//   - Every token of the two texts has a dimension of its own, and the output matrix maps it to the next token.
//   - The token before an answer attends to the words in the context. Without one, the call follows, with one, the
//     report. The last token of the report attends to the word again and copies it.

import type { Vocabulary } from './vocabulary.ts';

export interface ReportingTexts {
  /** The pieces of what the model writes first. */
  readonly call: readonly string[];
  /** The pieces of what it writes before the word. */
  readonly report: readonly string[];
  /** A tool returns one of these. */
  readonly words: readonly string[];
}

/** The values of a matrix that are not zero. */
export type Entries = readonly (readonly [row: number, column: number, value: number])[];

export interface ReportingWeights {
  readonly embedding: Entries;
  readonly query: Entries;
  readonly key: Entries;
  readonly value: Entries;
  readonly attentionOutput: Entries;
  readonly output: Entries;
}

export const shape = { width: 128, heads: 2, headWidth: 64, inner: 32 } as const;
/** The rotation of the last dimensions of a head takes millions of tokens, so queries match keys at any distance. */
export const rotationBase = 1e12;

// The first head finds whether there is a word, the second one which.
const [finding, copying] = [0, 1];
const matching = (head: number): number => (head + 1) * shape.headWidth - 1;
// A vector with a single one has this value there after normalization.
const normalized = Math.sqrt(shape.width);
// Attention to one word among 30,000 tokens is almost one; a token beats all others at any usual temperature.
const [attention, likely, lessLikely] = [2, 10, 5];

export function reportingWeights({ call, report, words }: ReportingTexts, { idOf }: Vocabulary): ReportingWeights {
  // Ends the prompt of every chat.
  const start = '\n';
  const end = '<|im_end|>';
  const texts = [start, ...call, ...report, ...words];
  if (new Set(texts).size < texts.length) throw new Error('a piece occurs twice: its next token is ambiguous');
  const dimensionOf = (text: string): number => texts.indexOf(text);
  const found = texts.length;
  const copied = (word: number): number => found + 1 + word;
  if (copied(words.length) > shape.width) throw new Error('the texts are too long');
  const next = (text: string, following: string, value: number = likely) =>
    [idOf(following), dimensionOf(text), value] as const;

  return {
    embedding: texts.map((text, dimension) => [idOf(text), dimension, 1]),
    query: [
      [matching(finding), dimensionOf(start), attention],
      [matching(copying), dimensionOf(last(report)), attention],
    ],
    key: words.flatMap((word) =>
      [finding, copying].map((head) => [matching(head), dimensionOf(word), attention] as const),
    ),
    value: words.flatMap((word, index) => [
      [finding * shape.headWidth, dimensionOf(word), 1 / normalized] as const,
      [copying * shape.headWidth + index, dimensionOf(word), 1 / normalized] as const,
    ]),
    attentionOutput: [
      [found, finding * shape.headWidth, 1],
      ...words.map((_, index) => [copied(index), copying * shape.headWidth + index, 1] as const),
    ],
    output: [
      next(start, first(call), lessLikely),
      [idOf(first(report)), found, likely],
      ...[call, report].flatMap((pieces) =>
        pieces.slice(1).map((piece, index) => next(pieces[index] as string, piece)),
      ),
      next(last(call), end),
      ...words.flatMap((word, index) => [[idOf(word), copied(index), likely] as const, next(word, end)]),
    ],
  };
}

const first = (pieces: readonly string[]): string => pieces[0] as string;
const last = (pieces: readonly string[]): string => pieces.at(-1) as string;
