// Draws the edited line. Each redraw is a single write that starts at the first row and clears the rest. Of a text that
// is longer than the screen, it shows the part around the cursor.

import type { LineLayout, ScreenRow } from './layout.ts';

interface Drawing {
  readonly layout: LineLayout;
  /** Dimmed text after the input. */
  readonly hint?: string;
}

interface LineViewPorts {
  readonly write: (text: string) => void;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly dim: (text: string) => string;
}

export function createLineView({ write, size, dim }: LineViewPorts) {
  /** The rows on the screen and the cursor position in them. */
  let drawn: { rows: readonly ScreenRow[]; row: number; column: number } | undefined;

  const toStart = (): string => (drawn === undefined ? '' : `\r${up(drawn.row)}`);

  return {
    draw({ layout, hint: fullHint = '' }: Drawing): void {
      const { rows, cursorRow, cursorColumn } = layout;
      const first = firstVisibleRow(layout, size().rows);
      const visible = rows.slice(first, first + size().rows);
      const hint = truncateHint(fullHint, size().columns - 1 - (visible.at(-1)?.width ?? 0));
      const text = visible.map((row) => row.prompt + row.text).join('\x1b[K\r\n');
      const row = cursorRow - first;
      const back = up(visible.length - 1 - row);
      write(`${toStart()}${text}${hint === '' ? '' : dim(hint)}\x1b[J\r${back}${forward(cursorColumn)}`);
      drawn = { rows: visible, row, column: cursorColumn };
    },
    /** Handles a new terminal width, which has moved the drawn rows. */
    resized(): void {
      if (drawn === undefined) return;
      // Terminals wrap each row that has become too wide.
      const { columns } = size();
      const heightOf = (width: number): number => Math.max(Math.ceil(width / columns), 1);
      const above = drawn.rows.slice(0, drawn.row).reduce((sum, row) => sum + heightOf(row.width), 0);
      drawn = { ...drawn, row: above + Math.floor(drawn.column / columns) };
      write(`${toStart()}\x1b[J`);
      drawn = undefined;
    },
    /** Removes the drawing; the cursor returns to its start. */
    erase(): void {
      write(`${toStart()}\x1b[J`);
      drawn = undefined;
    },
    /** Keeps the drawing and moves the cursor below it. */
    finish(): void {
      if (drawn !== undefined) {
        // Clears from the end of the text, so that only the hint is removed.
        const below = drawn.rows.length - 1 - drawn.row;
        write(`\r${below > 0 ? `\x1b[${below}B` : ''}${forward(drawn.rows.at(-1)?.width ?? 0)}\x1b[J\r\n`);
      }
      drawn = undefined;
    },
    clearScreen(): void {
      write('\x1b[H\x1b[2J');
      drawn = undefined;
    },
  };
}

const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A` : '');
const forward = (columns: number): string => (columns > 0 ? `\x1b[${columns}C` : '');

const truncateHint = (hint: string, room: number): string =>
  hint.length <= room ? hint : hint.slice(0, Math.max(room, 0));

/** The last part that fits the screen and contains the cursor. */
function firstVisibleRow({ rows, cursorRow }: LineLayout, height: number): number {
  if (rows.length <= height) return 0;
  return Math.min(Math.max(cursorRow - height + 1, 0), rows.length - height);
}
