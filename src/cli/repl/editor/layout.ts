// Prompt and text → rows of a screen and the place of the cursor. No row reaches the last column: terminals disagree
// about where the cursor is after a character there, and reflow such rows when they are resized.

import { type Cell, cellOf, graphemesOf } from './graphemes.ts';
import type { Line } from './line.ts';

export interface Row {
  /** What stands before the text: the prompt on the first row of each line, nothing where a line goes on. */
  readonly prompt: string;
  readonly text: string;
  readonly width: number;
}

export interface Layout {
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

export function layOut({ line, prompt, continuation, columns }: LayoutInput): Layout {
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
  // In a terminal of two columns a wide character fills its row.
  return { rows, cursorRow: cursor.row, cursorColumn: Math.min(cursor.column, columns - 1) };
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
  const add = ({ shown, width }: Cell): { row: number; column: number } => {
    // A prompt alone on its row counts too: a tab may be wider than what is left behind it.
    if (row.width + width > limit && row.width > 0) {
      rows.push(row);
      rowNumber++;
      row = { prompt: '', text: '', width: 0 };
    }
    const place = { row: rowNumber, column: row.width };
    row = { ...row, text: row.text + shown, width: row.width + width };
    return place;
  };
  for (const grapheme of graphemesOf(text)) {
    const [first, ...rest] = partsOf(cellOf(grapheme), limit);
    starts.push({ index, ...add(first) });
    rest.forEach(add);
    index += grapheme.length;
  }
  rows.push(row);
  const end = { row: rowNumber, column: row.width };
  return (wanted) => starts.find((start) => start.index === wanted) ?? end;
}

/** A cell wider than a row, such as a tab or a cluster of many Hangul jamo, is split; wide characters stay whole. */
function partsOf(cell: Cell, limit: number): readonly [Cell, ...Cell[]] {
  if (cell.width <= Math.max(limit, 2)) return [cell];
  const [first = cell, ...rest] = Array.from(cell.shown, cellOf);
  return [first, ...rest];
}
