// The edited line: a text, a cursor and pure functions that change them. The cursor is always on a grapheme boundary.

import { boundaryAfter, boundaryBefore, graphemesOf, nearestBoundary } from './graphemes.ts';

export interface Line {
  readonly text: string;
  readonly cursor: number;
}

/** A longer paste is truncated, since every key redraws the entire text. */
export const maxLineLength = 256 * 1024;

export const emptyLine: Line = { text: '', cursor: 0 };

/** Moves the cursor to a grapheme boundary. */
export function toLine(text: string, cursor = text.length): Line {
  return { text, cursor: nearestBoundary(text, Math.min(cursor, text.length)) };
}

export function insert({ text, cursor }: Line, added: string): Line {
  const room = maxLineLength - text.length;
  const fitting = added.length <= room ? added : added.slice(0, boundaryBefore(added, Math.max(room, 0) + 1));
  return toLine(text.slice(0, cursor) + fitting + text.slice(cursor), cursor + fitting.length);
}

/** Removes a range and puts the cursor there. */
export function remove({ text }: Line, from: number, to: number): Line {
  return toLine(text.slice(0, from) + text.slice(to), from);
}

export const left = ({ text, cursor }: Line): Line => ({ text, cursor: boundaryBefore(text, cursor) });
export const right = ({ text, cursor }: Line): Line => ({ text, cursor: boundaryAfter(text, cursor) });

export function lineStart({ text, cursor }: Line): number {
  // lastIndexOf treats a negative position as 0.
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: Line): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

const isWord = (grapheme: string): boolean => /[\p{L}\p{N}\p{M}_]/u.test(grapheme);
const isSpace = (grapheme: string): boolean => /^\s/.test(grapheme);

/** Skips non-word characters before the cursor, then the word. */
export function wordStart({ text, cursor }: Line): number {
  const before = graphemesOf(text.slice(0, cursor)).reverse();
  return cursor - lengthOfWord(before, isWord);
}

export function wordEnd({ text, cursor }: Line): number {
  return cursor + lengthOfWord(graphemesOf(text.slice(cursor)), isWord);
}

/** Words are separated only by whitespace, as for Ctrl-W in a shell. */
export function spaceWordStart({ text, cursor }: Line): number {
  const before = graphemesOf(text.slice(0, cursor)).reverse();
  return cursor - lengthOfWord(before, (grapheme) => !isSpace(grapheme));
}

function lengthOfWord(graphemes: readonly string[], isPart: (grapheme: string) => boolean): number {
  let index = 0;
  while (index < graphemes.length && !isPart(graphemes[index] ?? '')) index++;
  while (index < graphemes.length && isPart(graphemes[index] ?? '')) index++;
  return graphemes.slice(0, index).join('').length;
}

/** Swaps the characters before and at the cursor; at the end of the line, the last two. */
export function transpose(line: Line): Line {
  const { text, cursor } = line;
  const middle = cursor === lineEnd(line) ? boundaryBefore(text, cursor) : cursor;
  const start = boundaryBefore(text, middle);
  if (start === middle || start < lineStart(line)) return line;
  const end = boundaryAfter(text, middle);
  const swapped = text.slice(middle, end) + text.slice(start, middle);
  return toLine(text.slice(0, start) + swapped + text.slice(end), end);
}

/** Moves to the same column of the line above or below; undefined if there is none. */
export function vertical(line: Line, direction: -1 | 1): Line | undefined {
  const { text, cursor } = line;
  const column = graphemesOf(text.slice(lineStart(line), cursor)).length;
  const target = direction === -1 ? lineStart(line) - 1 : lineEnd(line) + 1;
  if (target < 0 || target > text.length) return undefined;
  const start = lineStart({ text, cursor: target });
  const graphemes = graphemesOf(text.slice(start, lineEnd({ text, cursor: target })));
  return toLine(text, start + graphemes.slice(0, column).join('').length);
}
