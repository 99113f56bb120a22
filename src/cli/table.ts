// Columns of text, as wide as their widest cell, with four blanks between them.

import { padText, widthOf } from './fit-text.ts';

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => padText(cell, widths[column] ?? 0))
      .join('    ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}
