// Draws the line and keeps it right: every drawing begins at the block's first row, writes what there is and clears
// what is left over, in one write. Longer than the screen, it shows the part around the cursor.

import type { LineLayout, Row } from './layout.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Drawing {
  readonly layout: LineLayout;
  /** Shown in grey where nothing is written yet. */
  readonly hint?: string;
}

export interface LineView {
  draw(drawing: Drawing): void;
  /** The terminal has another width: what was drawn stands elsewhere now. */
  resized(): void;
  /** Takes the drawing off the screen; the cursor stands where it began. */
  erase(): void;
  /** Leaves the drawing where it is and goes on below. */
  finish(): void;
  clearScreen(): void;
}

export interface LineViewPorts {
  readonly write: (text: string) => void;
  readonly size: () => ScreenSize;
  /** Marks text as less important. */
  readonly dim: (text: string) => string;
}

export function createLineView({ write, size, dim }: LineViewPorts): LineView {
  /** The rows on the screen, and where among them the cursor is. */
  let drawn: { rows: readonly Row[]; row: number; column: number } | undefined;

  const toStart = (): string => (drawn === undefined ? '' : `\r${up(drawn.row)}`);

  return {
    draw({ layout, hint: wanted = '' }) {
      const { rows, cursorRow, cursorColumn } = layout;
      const first = firstVisibleRow(layout, size().rows);
      const visible = rows.slice(first, first + size().rows);
      const hint = cutTo(wanted, size().columns - 1 - (visible.at(-1)?.width ?? 0));
      const text = visible.map((row) => row.prompt + row.text).join('\x1b[K\r\n');
      const row = cursorRow - first;
      const back = up(visible.length - 1 - row);
      write(`${toStart()}${text}${hint === '' ? '' : dim(hint)}\x1b[J\r${back}${forward(cursorColumn)}`);
      drawn = { rows: visible, row, column: cursorColumn };
    },
    resized() {
      if (drawn === undefined) return;
      // Terminals break rows that have become too wide, each for itself.
      const { columns } = size();
      const heightOf = (width: number): number => Math.max(Math.ceil(width / columns), 1);
      const above = drawn.rows.slice(0, drawn.row).reduce((sum, row) => sum + heightOf(row.width), 0);
      drawn = { ...drawn, row: above + Math.floor(drawn.column / columns) };
      write(`${toStart()}\x1b[J`);
      drawn = undefined;
    },
    erase() {
      write(`${toStart()}\x1b[J`);
      drawn = undefined;
    },
    finish() {
      if (drawn !== undefined) {
        // From the end of the text, so that a hint goes and the text stays.
        const below = drawn.rows.length - 1 - drawn.row;
        write(`\r${below > 0 ? `\x1b[${below}B` : ''}${forward(drawn.rows.at(-1)?.width ?? 0)}\x1b[J\r\n`);
      }
      drawn = undefined;
    },
    clearScreen() {
      write('\x1b[H\x1b[2J');
      drawn = undefined;
    },
  };
}

const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A` : '');
const forward = (columns: number): string => (columns > 0 ? `\x1b[${columns}C` : '');

const cutTo = (hint: string, room: number): string => (hint.length <= room ? hint : hint.slice(0, Math.max(room, 0)));

/** The last screenful that still shows the cursor. */
function firstVisibleRow({ rows, cursorRow }: LineLayout, height: number): number {
  if (rows.length <= height) return 0;
  return Math.min(Math.max(cursorRow - height + 1, 0), rows.length - height);
}
