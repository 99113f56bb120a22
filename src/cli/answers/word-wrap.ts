// Word wrap for streamed text. Text is written immediately; if a word turns out too long for its line, it is erased and
// written again on the next line. A wide character counts as a word, so that a line can break between any two.

import { widthOf } from '../output/fit-text.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// biome-ignore lint/suspicious/noControlCharactersInRegex: the text can contain colors, which have no width
const color = /^\x1b\[[0-9;:]*m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an incomplete color sequence
const incompleteColor = /^\x1b(?:\[[0-9;:]{0,32})?$/;
const tabStop = 8;

/** `columns` is called for every piece, since the window can be resized. The last column stays empty. */
export function createWordWrap(columns: () => number) {
  let limit = 1;
  /** The column of the next character. */
  let column = 0;
  let word = '';
  let wordWidth = 0;
  /** Whitespace did not fit: the next character starts a new line. */
  let breakIsDue = false;
  let held = '';
  /** The output of the current `push` or `flush`. */
  let out = '';

  function push(text: string): string {
    limit = Math.max(columns() - 1, 1);
    const { pieces, rest } = splitText(held + text);
    held = rest;
    out = '';
    for (const piece of pieces) add(piece);
    return out;
  }

  function add(piece: string): void {
    if (piece === '\n') newLine();
    else if (color.test(piece)) put(piece, 0);
    else if (/^\s$/.test(piece) && piece !== '\u00a0') addSpace(piece);
    else addCharacter(piece);
  }

  function put(piece: string, width: number): void {
    out += piece;
    column += width;
    word += piece;
    wordWidth += width;
  }

  function addCharacter(piece: string): void {
    const width = widthOf(piece);
    if (breakIsDue) newLine();
    if (column > 0 && column + width > limit) beginNextLine(width);
    put(piece, width);
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

  function addSpace(piece: string): void {
    const width = piece === '\t' ? tabStop - (column % tabStop) : widthOf(piece);
    endWord();
    breakIsDue ||= column + width > limit;
    if (breakIsDue) return;
    out += piece;
    column += width;
  }

  /** Moves the current word to the next line, unless it fills the line or the next character is wide. */
  function beginNextLine(nextWidth: number): void {
    const stays = nextWidth > 1 || wordWidth === column;
    const [moved, width] = stays ? ['', 0] : [word, wordWidth];
    if (out.endsWith(moved)) out = out.slice(0, out.length - moved.length);
    else out += `\x1b[${width}D\x1b[K`;
    newLine();
    put(moved, width);
  }

  return {
    /** Returns the output for the next piece of text. */
    push,
    /** Returns the last character, which is held back while combining characters could follow. */
    flush(): string {
      const rest = held;
      held = '';
      out = '';
      if (rest !== '') add(rest);
      return out;
    },
  };
}

/** Wraps a complete text. */
export function wrapText(text: string, columns: number): string {
  const wrap = createWordWrap(() => columns);
  return wrap.push(text) + wrap.flush();
}

/** Splits the text into graphemes and color sequences. `rest` is the end that may still be incomplete. */
function splitText(text: string): { pieces: string[]; rest: string } {
  const pieces: string[] = [];
  // Split at escapes first, since the segmenter treats an escape as a character.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: color sequences start with it
  const parts = text.split(/(?=\x1b)/);
  for (const part of parts) {
    const code = color.exec(part)?.[0] ?? '';
    if (code !== '') pieces.push(code);
    if (part === parts.at(-1) && incompleteColor.test(part)) return { pieces, rest: part };
    pieces.push(...Array.from(segmenter.segment(part.slice(code.length)), ({ segment }) => segment));
  }
  const last = pieces.at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is never held back
  const mayGrow = !/^[\x00-\x7f]*$/.test(last);
  return mayGrow ? { pieces: pieces.slice(0, -1), rest: last } : { pieces, rest: '' };
}
