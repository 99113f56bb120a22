// A terminal in memory, for tests: carries out what this program writes, and can be read. What it does not know it
// refuses, so that no test passes on a screen that real terminals would not show.

import stringWidth from 'string-width';
import type { Screen } from '../../../src/cli/terminal.ts';

export interface VirtualScreen extends Screen {
  /** What stands on it, without blanks at the ends of lines and without empty lines below. */
  text(): string;
  cursor(): { readonly row: number; readonly column: number };
  /** Like terminals that break rows which have become too wide. */
  resize(columns: number): void;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function createVirtualScreen(size: { columns: number; rows: number }): VirtualScreen {
  let { columns } = size;
  /** A cell for each column; a wide character takes two, the second of which is empty. */
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

  function obey(command: string, count: number): void {
    if (command === 'A') row = Math.max(row - count, top);
    else if (command === 'B') row = Math.min(row + count, top + size.rows - 1);
    else if (command === 'C') column = Math.min(column + count, columns - 1);
    else if (command === 'D') column = Math.max(Math.min(column, columns - 1) - count, 0);
    else if (command === 'K') lineAt(row).splice(column);
    else if (command === 'J') {
      lineAt(row).splice(column);
      lines = lines.slice(0, row + 1);
    } else throw new Error(`the test's terminal does not know ${command}`);
  }

  function write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals read
    for (const part of text.split(/(\x1b\[[?0-9;]*[A-Za-z])/)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      const [, parameters, command = ''] = /^\x1b\[([?0-9;]*)([A-Za-z])$/.exec(part) ?? [];
      if (command === 'm' || command === 'h' || command === 'l') continue;
      if (command !== '') obey(command, Number(parameters) || 1);
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
      const place = { row, column };
      const broken: string[][] = [];
      for (const [index, line] of lines.entries()) {
        if (index === place.row) {
          row = broken.length + Math.floor(place.column / newColumns);
          column = place.column % newColumns;
        }
        do broken.push(line.splice(0, newColumns));
        while (line.length > 0);
      }
      lines = broken;
      columns = newColumns;
      top = Math.max(lines.length - size.rows, 0);
      for (const listener of listeners) listener();
    },
  };
}
