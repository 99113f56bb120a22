// Lays out the prompt and the text in screen rows and finds the cursor position. The last column stays empty, because
// terminals differ in the cursor position after it and reflow full rows on resize.

import { cellOf, graphemesOf } from './graphemes.ts';
import type { Line } from './line.ts';

export interface Row {
  /** The prompt on the first row of each line; empty on wrapped rows. */
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
    const positionOf = wrapLine(text, { prompt: number === 0 ? prompt : continuation, limit, rows });
    const within = line.cursor - index;
    if (within >= 0 && within <= text.length) {
      const position = positionOf(within);
      cursor = { row: start + position.row, column: position.column };
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

/** Appends the rows of one line. Returns a function from an index in the text to its position on these rows. */
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
  return (target) => starts.find((start) => start.index === target) ?? end;
}
