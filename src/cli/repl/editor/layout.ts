// Lays out the prompt and the text in screen rows and finds the cursor position. The last column stays empty, because
// terminals differ in the cursor position after it and reflow full rows on resize.

import { type Cell, cellOf, graphemesOf } from './graphemes.ts';
import type { Line } from './line.ts';

export interface ScreenRow {
  /** The prompt on the first row of each line; empty on wrapped rows. */
  readonly prompt: string;
  readonly text: string;
  readonly width: number;
}

interface LayoutInput {
  readonly line: Line;
  /** Before the first line; ASCII. */
  readonly prompt: string;
  /** Before every other line; ASCII. */
  readonly continuation: string;
  readonly columns: number;
}

export function layOut({ line, prompt, continuation, columns }: LayoutInput) {
  const limit = Math.max(columns - 1, 1);
  const rows: ScreenRow[] = [];
  let cursor = { row: 0, column: 0 };
  let index = 0;
  for (const [number, text] of line.text.split('\n').entries()) {
    const start = rows.length;
    const positionOf = wrapLine(text, { prompt: number === 0 ? prompt : continuation, limit, rows });
    const within = line.cursor - index;
    if (within >= 0 && within <= text.length) {
      const position = positionOf(within);
      cursor = { row: start + position.row, column: position.column };
    }
    index += text.length + 1;
  }
  // In a terminal of two columns a wide character fills its row.
  return { rows, cursorRow: cursor.row, cursorColumn: Math.min(cursor.column, columns - 1) };
}

export type LineLayout = ReturnType<typeof layOut>;

interface Wrapping {
  readonly prompt: string;
  readonly limit: number;
  readonly rows: ScreenRow[];
}

/** Appends the rows of one line. Returns a function from an index in the text to its position on these rows. */
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
  return (target) => starts.find((start) => start.index === target) ?? end;
}

/** A cell wider than a row, such as a tab or a cluster of many Hangul jamo, is split; wide characters stay whole. */
function partsOf(cell: Cell, limit: number): readonly [Cell, ...Cell[]] {
  if (cell.width <= Math.max(limit, 2)) return [cell];
  const [first = cell, ...rest] = Array.from(cell.shown, cellOf);
  return [first, ...rest];
}
