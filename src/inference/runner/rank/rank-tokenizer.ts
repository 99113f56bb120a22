// Turns a query and its documents into the tokens to rank. A query takes at most half of the context, so that a part of
// every document fits; a document that is too long is cut at its end.

import { HearthError } from '../../../base/errors.ts';
import type { RankInput } from '../../protocol/messages.ts';
import { maxTokenLength, tokenizeStart } from '../embed/embed-input.ts';
import type { Segment, Vocabulary } from '../llama/vocabulary.ts';
import type { PairFrame } from './pair-frame.ts';
import { fillSegments, type RankTemplate } from './rank-template.ts';

/** At least one token, at most the context length. */
type PairTokens = (document: string) => number[];

export interface RankTokenizer {
  /** Tokenizes the query once for all of its documents. Throws `bad_request` if it does not fit. */
  open(request: RankInput): PairTokens;
}

export interface RankTokenizerOptions {
  readonly vocabulary: Vocabulary;
  readonly contextLength: number;
}

type Limits = Pick<RankInput, 'truncate' | 'maxQueryTokens' | 'maxDocumentTokens'>;

/** For models that separate the two texts by special tokens. */
export function createFrameTokenizer(
  { head, middle, tail }: PairFrame,
  { vocabulary, contextLength }: RankTokenizerOptions,
): RankTokenizer {
  const space = contextLength - head.length - middle.length - tail.length;
  const plain = (text: string): number[] => plainTokens(vocabulary, text, contextLength);
  return {
    open(request) {
      const start =
        request.query === undefined
          ? head
          : [...head, ...cutQuery(plain(request.query).slice(0, request.maxQueryTokens), request, space), ...middle];
      const room = contextLength - start.length - tail.length;
      return (document) => {
        const tokens = plain(document).slice(0, request.maxDocumentTokens);
        return [...start, ...cutEnd(tokens, room, request), ...tail];
      };
    },
  };
}

/** For models with a template for pairs. */
export function createTemplateTokenizer(
  { before, after, instruction: ownInstruction }: RankTemplate,
  { vocabulary, contextLength }: RankTokenizerOptions,
): RankTokenizer {
  const segmentTokens = ({ text, special }: Segment): number[] =>
    vocabulary.tokenize(text, { addSpecial: false, plain: !special });
  const plain = (text: string): number[] => plainTokens(vocabulary, text, contextLength);
  /** The start of a text that has so many tokens. */
  const startOf = (text: string, tokens: number): string => {
    const all = plain(text);
    if (all.length <= tokens) return text;
    const bytes = Buffer.concat(all.slice(0, tokens).map(vocabulary.pieceOf));
    // The last character may be incomplete.
    return bytes.toString('utf8').replace(/\ufffd$/, '');
  };
  const shorten = (text: string, tokens: number | undefined): string =>
    tokens === undefined ? text : startOf(text, tokens);

  return {
    open({ query, instruction = ownInstruction, ...request }) {
      if (query === undefined)
        throw new HearthError('bad_request', 'the model needs a query and cannot classify a text');
      const limited = shorten(query, request.maxQueryTokens);
      const fitting = startOf(limited, cutQuery(plain(limited), request, contextLength).length);
      const texts = { query: fitting, instruction: startOf(instruction, Math.floor(contextLength / 4)) };
      const filled = fillSegments(before, texts);
      const head = filled.slice(0, -1).flatMap(segmentTokens);
      const opening = filled.at(-1)?.text ?? '';
      const tail = fillSegments(after, texts).flatMap(segmentTokens);
      const fixed = head.length + tail.length;
      const least = plain(opening).length;
      return (document) => {
        // Tokens may span the end of the template's text and the start of the document.
        const start = shorten(document.slice(0, contextLength * maxTokenLength), request.maxDocumentTokens);
        const tokens = plain(opening + start);
        return [...head, ...cutEnd(tokens, contextLength - fixed, request, least), ...tail];
      };
    },
  };
}

function plainTokens(vocabulary: Vocabulary, text: string, contextLength: number): number[] {
  return tokenizeStart((part) => vocabulary.tokenize(part, { addSpecial: false, plain: true }), text, contextLength);
}

function cutQuery(tokens: readonly number[], { truncate }: Limits, space: number): readonly number[] {
  const room = Math.floor(space / 2);
  if (tokens.length <= room) return tokens;
  if (!truncate) throw new HearthError('bad_request', 'the query takes more than half of the context length');
  return tokens.slice(0, room);
}

/** The first `least` tokens cannot be left out. */
function cutEnd(tokens: number[], room: number, { truncate }: Limits, least = 0): number[] {
  if (tokens.length <= room) return tokens;
  if (!truncate) throw new HearthError('bad_request', 'the input length exceeds the context length');
  if (room <= least) throw new HearthError('bad_request', 'input after truncation exceeds maximum context length');
  return tokens.slice(0, room);
}
