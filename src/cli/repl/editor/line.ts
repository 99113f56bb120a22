// The line that is being written: a text and a cursor, and everything that changes them. Functions of plain data; the
// cursor is always where a person could put it, never within a character of several code units.

import { boundaryAfter, boundaryBefore, graphemesOf, nearestBoundary } from './graphemes.ts';

export interface Line {
  readonly text: string;
  readonly cursor: number;
}

/** What is cut off at the end of a longer paste: everything is drawn anew with each key. */
export const maxLineLength = 256 * 1024;

export const emptyLine: Line = { text: '', cursor: 0 };

/** Any text with any cursor, put right. */
export function toLine(text: string, cursor = text.length): Line {
  return { text, cursor: nearestBoundary(text, Math.min(cursor, text.length)) };
}

export function insert({ text, cursor }: Line, added: string): Line {
  const room = maxLineLength - text.length;
  const fitting = added.length <= room ? added : added.slice(0, boundaryBefore(added, Math.max(room, 0) + 1));
  return toLine(text.slice(0, cursor) + fitting + text.slice(cursor), cursor + fitting.length);
}

/** Without what stands between two places; the cursor stands where it was cut. */
export function remove({ text }: Line, from: number, to: number): Line {
  return toLine(text.slice(0, from) + text.slice(to), from);
}

export const left = ({ text, cursor }: Line): Line => ({ text, cursor: boundaryBefore(text, cursor) });
export const right = ({ text, cursor }: Line): Line => ({ text, cursor: boundaryAfter(text, cursor) });

export function lineStart({ text, cursor }: Line): number {
  // lastIndexOf takes a place before the text for its first one.
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: Line): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

const isWord = (grapheme: string): boolean => /[\p{L}\p{N}\p{M}_]/u.test(grapheme);
const isBlank = (grapheme: string): boolean => /^\s/.test(grapheme);

/** From the cursor to the left: past what is no word, then past the word. */
export function wordStart({ text, cursor }: Line): number {
  const before = graphemesOf(text.slice(0, cursor)).reverse();
  return cursor - lengthOfWord(before, isWord);
}

export function wordEnd({ text, cursor }: Line): number {
  return cursor + lengthOfWord(graphemesOf(text.slice(cursor)), isWord);
}

/** The same with blanks alone between words, as a shell's Ctrl-W has it. */
export function blankWordStart({ text, cursor }: Line): number {
  const before = graphemesOf(text.slice(0, cursor)).reverse();
  return cursor - lengthOfWord(before, (grapheme) => !isBlank(grapheme));
}

function lengthOfWord(graphemes: readonly string[], belongs: (grapheme: string) => boolean): number {
  let index = 0;
  while (index < graphemes.length && !belongs(graphemes[index] ?? '')) index++;
  while (index < graphemes.length && belongs(graphemes[index] ?? '')) index++;
  return graphemes.slice(0, index).join('').length;
}

/** The character before the cursor changes places with the one at it; at the end, the last two. */
export function transpose(line: Line): Line {
  const { text, cursor } = line;
  const middle = cursor === lineEnd(line) ? boundaryBefore(text, cursor) : cursor;
  const start = boundaryBefore(text, middle);
  if (start === middle || start < lineStart(line)) return line;
  const end = boundaryAfter(text, middle);
  const swapped = text.slice(middle, end) + text.slice(start, middle);
  return toLine(text.slice(0, start) + swapped + text.slice(end), end);
}

/** The same place a line above or below, by characters; undefined where there is none. */
export function vertical(line: Line, direction: -1 | 1): Line | undefined {
  const { text, cursor } = line;
  const column = graphemesOf(text.slice(lineStart(line), cursor)).length;
  const target = direction === -1 ? lineStart(line) - 1 : lineEnd(line) + 1;
  if (target < 0 || target > text.length) return undefined;
  const start = lineStart({ text, cursor: target });
  const graphemes = graphemesOf(text.slice(start, lineEnd({ text, cursor: target })));
  return toLine(text, start + graphemes.slice(0, column).join('').length);
}
