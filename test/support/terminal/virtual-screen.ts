// An in-memory terminal for tests. It throws on control sequences that it does not implement, so that no test passes
// with a screen that a real terminal would not show.

import stringWidth from 'string-width';
import type { Screen } from '../../../src/cli/terminal.ts';

export interface VirtualScreen extends Screen {
  /** The text on the screen, without trailing whitespace and empty lines at the end. */
  text(): string;
  cursor(): { readonly row: number; readonly column: number };
  /** Wraps rows that have become too wide, as terminals do. */
  resize(columns: number): void;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function createVirtualScreen(size: { columns: number; rows: number }): VirtualScreen {
  let { columns } = size;
  /** One cell per column; a wide character takes two cells, the second one empty. */
  let lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  let top = 0;
  const listeners = new Set<() => void>();

  const lineAt = (index: number): string[] => {
    while (lines.length <= index) lines.push([]);
    return lines[index] as string[];
  };

  function put(grapheme: string): void {
    const width = stringWidth(grapheme);
    if (column + width > columns) {
      column = 0;
      down();
    }
    const line = lineAt(row);
    while (line.length < column) line.push(' ');
    line.splice(column, width, grapheme, ...Array<string>(Math.max(width - 1, 0)).fill(''));
    column += width;
  }

  function down(): void {
    row++;
    lineAt(row);
    top = Math.max(top, row - size.rows + 1);
  }

  function execute(command: string, count: number): void {
    if (command === 'A') row = Math.max(row - count, top);
    else if (command === 'B') row = Math.min(row + count, top + size.rows - 1);
    else if (command === 'C') column = Math.min(column + count, columns - 1);
    else if (command === 'D') column = Math.max(Math.min(column, columns - 1) - count, 0);
    else if (command === 'K') lineAt(row).splice(column);
    else if (command === 'J') {
      lineAt(row).splice(column);
      lines = lines.slice(0, row + 1);
    } else throw new Error(`unsupported control sequence: ${command}`);
  }

  function write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are parsed
    for (const part of text.split(/(\x1b\[[?0-9;]*[A-Za-z])/)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      const [, parameters, command = ''] = /^\x1b\[([?0-9;]*)([A-Za-z])$/.exec(part) ?? [];
      if (command === 'm' || command === 'h' || command === 'l') continue;
      if (command !== '') execute(command, Number(parameters) || 1);
      else show(part);
    }
  }

  function show(text: string): void {
    for (const { segment } of segmenter.segment(text)) {
      if (segment.includes('\r')) column = 0;
      if (segment.includes('\n')) {
        column = 0;
        down();
      } else if (segment !== '\r') put(segment);
    }
  }

  return {
    isTerminal: true,
    canRedraw: true,
    hasColors: true,
    width: () => columns,
    height: () => size.rows,
    write,
    setCursor: () => {},
    onResize(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    text: () =>
      lines
        .slice(top)
        .map((line) => line.join('').trimEnd())
        .join('\n')
        .trimEnd(),
    cursor: () => ({ row: row - top, column }),
    resize(newColumns) {
      const cursor = { row, column };
      const wrapped: string[][] = [];
      for (const [index, line] of lines.entries()) {
        if (index === cursor.row) {
          row = wrapped.length + Math.floor(cursor.column / newColumns);
          column = cursor.column % newColumns;
        }
        do wrapped.push(line.splice(0, newColumns));
        while (line.length > 0);
      }
      lines = wrapped;
      columns = newColumns;
      top = Math.max(lines.length - size.rows, 0);
      for (const listener of listeners) listener();
    },
  };
}
