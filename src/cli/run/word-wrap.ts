// Breaks a text that is still being written at the width of the terminal, between words. What has come is shown at
// once; when a word turns out too long for its line it is taken back and begun anew on the next. Characters that are
// two columns wide stand for words of their own, so that a line may be broken between any two.

import stringWidth from 'string-width';

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

  function push(text: string): string {
    limit = Math.max(columns() - 1, 1);
    const { pieces, rest } = cut(held + text);
    held = rest;
    return pieces.map(place).join('');
  }

  function place(piece: string): string {
    if (piece === '\n') return newLine('\n');
    if (colour.test(piece)) {
      word += piece;
      return piece;
    }
    if (/^\s$/.test(piece) && piece !== '\u00a0') return placeBlank(piece);
    const width = stringWidth(piece);
    const before = breakIsDue ? newLine('\n') : '';
    return before + (width > 1 ? placeWide(piece, width) : placeNarrow(piece, width));
  }

  function newLine(written: string): string {
    column = 0;
    word = '';
    wordWidth = 0;
    breakIsDue = false;
    return written;
  }

  function placeBlank(piece: string): string {
    const width = piece === '\t' ? tabStop - (column % tabStop) : stringWidth(piece);
    word = '';
    wordWidth = 0;
    if (breakIsDue || column + width > limit) {
      breakIsDue = true;
      return '';
    }
    column += width;
    return piece;
  }

  function placeWide(piece: string, width: number): string {
    const before = column > 0 && column + width > limit ? newLine('\n') : '';
    column += width;
    word = '';
    wordWidth = 0;
    return before + piece;
  }

  function placeNarrow(piece: string, width: number): string {
    let before = '';
    if (column > 0 && column + width > limit) before = beginNextLine();
    column += width;
    word += piece;
    wordWidth += width;
    return before + piece;
  }

  /** The word that is being written moves down, unless it fills its line alone. */
  function beginNextLine(): string {
    if (wordWidth === column || wordWidth === 0) return newLine('\n');
    const [moved, width] = [word, wordWidth];
    const written = newLine(`\x1b[${width}D\x1b[K\n`) + moved;
    column = width;
    word = moved;
    wordWidth = width;
    return written;
  }

  return {
    push,
    flush() {
      const rest = held;
      held = '';
      return place(rest);
    },
  };
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
