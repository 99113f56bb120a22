// Breaks a text that is still being written at the width of the terminal, between words. What has come is shown at
// once; when a word turns out too long for its line it is taken back and begun anew on the next. Characters that are
// two columns wide stand for words of their own, so that a line may be broken between any two.

import { widthOf } from '../../output/fit-text.ts';

export interface WordWrap {
  /** What to write for the next piece of text. */
  push(text: string): string;
  /** What is still held back: the last character, as long as it could grow. */
  flush(): string;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are part of what is wrapped, and take no room
const colour = /^\x1b\[[0-9;:]*m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, not yet whole
const colourBegun = /^\x1b(?:\[[0-9;:]{0,32})?$/;
const tabStop = 8;

/** `columns` is asked again for every piece: windows change. The last column stays free. */
export function createWordWrap(columns: () => number): WordWrap {
  let limit = 1;
  /** Where on the line the next character goes. */
  let column = 0;
  let word = '';
  let wordWidth = 0;
  /** Blanks that had no room: the next character begins a line. */
  let breakIsDue = false;
  let held = '';
  /** What this piece of text has come to so far. */
  let out = '';

  function push(text: string): string {
    limit = Math.max(columns() - 1, 1);
    const { pieces, rest } = cut(held + text);
    held = rest;
    out = '';
    for (const piece of pieces) place(piece);
    return out;
  }

  function place(piece: string): void {
    if (piece === '\n') newLine();
    else if (colour.test(piece)) put(piece, 0);
    else if (/^\s$/.test(piece) && piece !== '\u00a0') placeBlank(piece);
    else placeCharacter(piece);
  }

  function put(piece: string, width: number): void {
    out += piece;
    column += width;
    word += piece;
    wordWidth += width;
  }

  function placeCharacter(piece: string): void {
    const width = widthOf(piece);
    if (breakIsDue) newLine();
    if (column > 0 && column + width > limit) beginNextLine(width);
    put(piece, width);
    // A wide character is a word of its own.
    if (width > 1) endWord();
  }

  function endWord(): void {
    word = '';
    wordWidth = 0;
  }

  function newLine(): void {
    out += '\n';
    column = 0;
    endWord();
    breakIsDue = false;
  }

  function placeBlank(piece: string): void {
    const width = piece === '\t' ? tabStop - (column % tabStop) : widthOf(piece);
    endWord();
    breakIsDue ||= column + width > limit;
    if (breakIsDue) return;
    out += piece;
    column += width;
  }

  /** The word that is being written moves down, unless it fills its line alone or a wide character ends it. */
  function beginNextLine(nextWidth: number): void {
    const stays = nextWidth > 1 || wordWidth === column;
    const [moved, width] = stays ? ['', 0] : [word, wordWidth];
    if (out.endsWith(moved)) out = out.slice(0, out.length - moved.length);
    else out += `\x1b[${width}D\x1b[K`;
    newLine();
    put(moved, width);
  }

  return {
    push,
    flush() {
      const rest = held;
      held = '';
      out = '';
      if (rest !== '') place(rest);
      return out;
    },
  };
}

/** A whole text. */
export function wrapText(text: string, columns: number): string {
  const wrap = createWordWrap(() => columns);
  return wrap.push(text) + wrap.flush();
}

/** Characters and colours, and what at the end may still become something else. */
function cut(text: string): { pieces: string[]; rest: string } {
  const pieces: string[] = [];
  // Colours first: an escape is a character of its own to the segmenter.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it
  const parts = text.split(/(?=\x1b)/);
  for (const part of parts) {
    const code = colour.exec(part)?.[0] ?? '';
    if (code !== '') pieces.push(code);
    if (part === parts.at(-1) && colourBegun.test(part)) return { pieces, rest: part };
    pieces.push(...Array.from(segmenter.segment(part.slice(code.length)), ({ segment }) => segment));
  }
  const last = pieces.at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is never held back
  const mayGrow = !/^[\x00-\x7f]*$/.test(last);
  return mayGrow ? { pieces: pieces.slice(0, -1), rest: last } : { pieces, rest: '' };
}
