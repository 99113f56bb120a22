// Columns of text, as wide as their widest cell, with four blanks between them. What stands in them is ASCII: names of
// models, sizes, times.

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('    ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}
