// Prompt and text → rows of a screen and the place of the cursor. No row reaches the last column: terminals disagree
// about where the cursor is after a character there, and reflow such rows when they are resized.

import { cellOf, graphemesOf } from './graphemes.ts';
import type { Line } from './line.ts';

export interface Row {
  /** What stands before the text: the prompt on the first row of each line, nothing where a line goes on. */
  readonly prompt: string;
  readonly text: string;
  readonly width: number;
}

export interface LineLayout {
  readonly rows: readonly Row[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

export interface LayoutInput {
  readonly line: Line;
  /** Before the first line; ASCII. */
  readonly prompt: string;
  /** Before every other line; ASCII. */
  readonly continuation: string;
  readonly columns: number;
}

export function layOut({ line, prompt, continuation, columns }: LayoutInput): LineLayout {
  const limit = Math.max(columns - 1, 1);
  const rows: Row[] = [];
  let cursor = { row: 0, column: 0 };
  let index = 0;
  for (const [number, text] of line.text.split('\n').entries()) {
    const start = rows.length;
    const places = wrapLine(text, { prompt: number === 0 ? prompt : continuation, limit, rows });
    const within = line.cursor - index;
    if (within >= 0 && within <= text.length) {
      const place = places(within);
      cursor = { row: start + place.row, column: place.column };
    }
    index += text.length + 1;
  }
  return { rows, cursorRow: cursor.row, cursorColumn: cursor.column };
}

interface Wrapping {
  readonly prompt: string;
  readonly limit: number;
  readonly rows: Row[];
}

/** Adds the rows of one line; returns where on them a place in the text is. */
function wrapLine(text: string, { prompt, limit, rows }: Wrapping): (index: number) => { row: number; column: number } {
  const shownPrompt = prompt.slice(0, Math.max(limit - 2, 0));
  const starts: { index: number; row: number; column: number }[] = [];
  let row = { prompt: shownPrompt, text: '', width: shownPrompt.length };
  let rowNumber = 0;
  let index = 0;
  for (const grapheme of graphemesOf(text)) {
    const { shown, width } = cellOf(grapheme);
    if (row.width + width > limit && row.text !== '') {
      rows.push(row);
      rowNumber++;
      row = { prompt: '', text: '', width: 0 };
    }
    starts.push({ index, row: rowNumber, column: row.width });
    row = { ...row, text: row.text + shown, width: row.width + width };
    index += grapheme.length;
  }
  rows.push(row);
  const end = { row: rowNumber, column: row.width };
  return (wanted) => starts.find((start) => start.index === wanted) ?? end;
}
