// Left-aligned columns, separated by four spaces. Cells are ASCII: model names, sizes, times.

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
