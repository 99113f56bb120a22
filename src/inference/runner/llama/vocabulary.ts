// Text to tokens and back, over one model's vocabulary.

import type { LlamaApi } from './bindings/llama-api.ts';
import type { VocabPointer } from './bindings/pointers.ts';

export interface Vocabulary {
  readonly pointer: VocabPointer;
  readonly size: number;
  readonly addsBos: boolean;
  /**
   * The tokens of a text. Special tokens in it are recognized, because templates write them. With `plain`, the names of
   * control tokens are text like any other.
   */
  tokenize(text: string, options: { readonly addSpecial: boolean; readonly plain?: boolean }): number[];
  /** The special tokens of a text, and the texts between them. */
  segmentsOf(text: string): Segment[];
  /** The bytes of a token. A character may be split between tokens. */
  pieceOf(token: number): Buffer;
  isEnd(token: number): boolean;
  /** All tokens that end an answer. */
  endTokens(): readonly number[];
  /** Whether the token has a meaning instead of a text, like the start of a turn. */
  isControl(token: number): boolean;
  isNewline(token: number): boolean;
  isBos(token: number): boolean;
}

export interface Segment {
  readonly text: string;
  /** Whether it is a special token. */
  readonly special: boolean;
}

// llama_token_attr: the tokenizer searches a text for UNKNOWN, CONTROL and USER_DEFINED tokens, and a plain text only
// for the last ones.
const specialAttributes = 1 | 8 | 16;
const plainAttributes = 16;
const controlAttribute = 8;
const unknown = -1;

// llama_tokenize finds special tokens in quadratic time: a megabyte of `<|im_end|>` takes a minute. Segments of this
// size that are cut before a special token give the same tokens in linear time.
const segmentLength = 4096;

export function createVocabulary(api: LlamaApi, pointer: VocabPointer): Vocabulary {
  const size = api.vocabSize(pointer);
  const pieces: (Buffer | undefined)[] = new Array(size);
  // Native calls for every token of an answer would take a noticeable part of a step of a small model.
  const attributes = new Int16Array(size).fill(unknown);
  const ends = new Int8Array(size).fill(unknown);
  const newline = api.vocabNewline(pointer);
  const bos = api.vocabBos(pointer);
  const patterns = new Map<number, RegExp>();
  let endTokens: readonly number[] | undefined;

  const readPiece = (token: number): Buffer => {
    let room = 64;
    for (;;) {
      const out = Buffer.alloc(room);
      const length = api.tokenToPiece(pointer, token, out, room, 0, true);
      if (length >= 0) return out.subarray(0, length);
      room = -length;
    }
  };

  const pieceOf = (token: number): Buffer => {
    pieces[token] ??= readPiece(token);
    return pieces[token] as Buffer;
  };

  const attributesOf = (token: number): number => {
    if (attributes[token] === unknown) attributes[token] = api.vocabAttributes(pointer, token);
    return attributes[token] as number;
  };

  const isEnd = (token: number): boolean => {
    if (ends[token] === unknown) ends[token] = api.vocabIsEnd(pointer, token) ? 1 : 0;
    return ends[token] === 1;
  };

  const textsWith = (wanted: number): string[] => {
    const texts: string[] = [];
    for (let token = 0; token < size; token++) {
      if ((attributesOf(token) & wanted) !== 0) texts.push(pieceOf(token).toString('utf8'));
    }
    return texts.filter((text) => text !== '');
  };

  /** Matches the tokens with any of these attributes. */
  const patternFor = (wanted: number): RegExp => {
    const pattern = patterns.get(wanted) ?? patternOf(textsWith(wanted));
    patterns.set(wanted, pattern);
    return pattern;
  };

  const tokenizeSegment = (text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array => {
    const bytes = Buffer.from(text, 'utf8');
    // A token has at least one byte, except those that are added around the text.
    const out = new Int32Array(bytes.length + 8);
    const length = api.tokenize(pointer, bytes, bytes.length, out, out.length, addSpecial, parseSpecial);
    if (length < 0) throw new RangeError(`the tokenizer returned ${-length} tokens for ${bytes.length} bytes`);
    return out.subarray(0, length);
  };

  return {
    pointer,
    size,
    addsBos: api.vocabAddsBos(pointer),
    tokenize(text, { addSpecial, plain = false }) {
      const pattern = patternFor(plain ? plainAttributes : specialAttributes);
      const tokens: number[] = [];
      splitBeforeSpecial(text, pattern).forEach((segment, index) => {
        for (const token of tokenizeSegment(segment, addSpecial && index === 0, !plain)) tokens.push(token);
      });
      return tokens;
    },
    segmentsOf: (text) => splitAtSpecial(text, patternFor(specialAttributes)),
    pieceOf,
    isEnd,
    endTokens() {
      endTokens ??= Array.from({ length: size }, (_, token) => token).filter(isEnd);
      return endTokens;
    },
    isControl: (token) => (attributesOf(token) & controlAttribute) !== 0,
    isNewline: (token) => token === newline || (pieceOf(token).length === 1 && pieceOf(token)[0] === 0x0a),
    isBos: (token) => token === bos,
  };
}

/** Matches any of the texts, longest first. Without texts it matches nothing. */
export function patternOf(texts: readonly string[]): RegExp {
  const alternatives = [...texts]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return alternatives.length === 0 ? /(?!)/g : new RegExp(alternatives.join('|'), 'g');
}

/** Segments of at least `segmentLength` characters. Each but the first begins with a special token. */
export function splitBeforeSpecial(text: string, special: RegExp): string[] {
  const segments: string[] = [];
  let start = 0;
  while (text.length - start > segmentLength) {
    special.lastIndex = start + segmentLength;
    const cut = special.exec(text)?.index;
    if (cut === undefined) break;
    segments.push(text.slice(start, cut));
    start = cut;
  }
  segments.push(text.slice(start));
  return segments;
}

export function splitAtSpecial(text: string, special: RegExp): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (const match of text.matchAll(special)) {
    segments.push({ text: text.slice(start, match.index), special: false }, { text: match[0], special: true });
    start = match.index + match[0].length;
  }
  segments.push({ text: text.slice(start), special: false });
  return segments.filter((segment) => segment.text !== '');
}
