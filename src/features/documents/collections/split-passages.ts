// Splits the pages of a document into passages: whole paragraphs as far as they fit, sentences of longer ones.

import { badRequest } from '../../../base/errors.ts';
import type { DocumentText } from '../../../server/services/documents/document-reader.ts';

interface PassagePlace {
  /** From 1. Absent: the document has no pages. */
  readonly page?: number | undefined;
  /** Where the text is in its page. */
  readonly start: number;
  readonly end: number;
}

export interface Passage extends PassagePlace {
  readonly text: string;
}

// About 300 tokens: the models that compute embeddings of passages often read 512.
const maxLength = 1200;

/** The passages of a document, and what a collection says about it. */
export function readPassagesOf({ type, pages }: DocumentText) {
  const passages = splitPassages(pages, type === 'pdf');
  if (passages.length === 0) throw badRequest('the document has no text');
  return { type, pages: pages.length, characters: pages.reduce((sum, page) => sum + page.length, 0), passages };
}

export function splitPassages(pages: readonly string[], hasPages: boolean): Passage[] {
  return pages.flatMap((text, index) =>
    joinPieces(text).map(({ start, end }) => ({
      page: hasPages ? index + 1 : undefined,
      start,
      end,
      text: text.slice(start, end),
    })),
  );
}

/** Neighbors are joined while they fit together. */
function joinPieces(text: string): PassagePlace[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of findPieces(text)) {
    const last = joined.at(-1);
    if (last !== undefined && end - last.start <= maxLength) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}

/** Paragraphs, and parts of long ones, without the white space around them. */
function* findPieces(text: string): Generator<PassagePlace> {
  for (const { index, 0: paragraph } of text.matchAll(/\S[^\n]*(?:\n(?!\n)[^\n]+)*/g)) {
    const limit = index + paragraph.trimEnd().length;
    for (let start = index; start < limit; ) {
      const end = limit - start <= maxLength ? limit : start + findCut(text.slice(start, start + maxLength));
      yield { start, end };
      start = end;
      while (start < limit && /\s/.test(text[start] as string)) start++;
    }
  }
}

/** After the last sentence in the second half, or the last word, or anywhere. */
function findCut(part: string): number {
  const half = part.length / 2;
  const sentence = Math.max(...['. ', '? ', '! ', '.\n', '。'].map((mark) => part.lastIndexOf(mark)));
  if (sentence > half) return sentence + 1;
  const space = Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n'));
  return space > half ? space : part.length;
}
