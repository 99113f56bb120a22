// Left-aligned columns. Cells are ASCII: model names, sizes, times. A table that is too wide for the screen has narrower
// gaps, and then fewer columns.

import type { Screen } from '../terminal.ts';

interface TableOptions {
  /** Columns of the screen. Absent: any width fits. */
  readonly width?: number | undefined;
  /** Columns that are left out of a table that is too wide, the least important first. */
  readonly optional?: readonly string[];
}

/** A pipe takes lines of any length. */
export function tableWidth({ isTerminal, width }: Pick<Screen, 'isTerminal' | 'width'>): number | undefined {
  return isTerminal ? width() : undefined;
}

const wideGap = 4;
const narrowGap = 2;

export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, optional = [] }: TableOptions = {},
): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const { columns, gap } = planTable({ head, widths, width, optional });
  const line = (row: readonly string[]): string =>
    columns
      .map((column) => (row[column] ?? '').padEnd(widths[column] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}

interface TablePlan {
  /** Indexes of the shown columns. */
  readonly columns: readonly number[];
  readonly gap: number;
}

interface TableShape {
  readonly width: number;
  readonly optional: readonly string[];
  readonly head: readonly string[];
  readonly widths: readonly number[];
}

function planTable({ head, widths, width, optional }: TableShape): TablePlan {
  const totalOf = ({ columns, gap }: TablePlan): number =>
    columns.reduce((sum, column) => sum + (widths[column] ?? 0), 0) + gap * (columns.length - 1);
  const everything = [...head.keys()];
  const plans: TablePlan[] = [
    { columns: everything, gap: wideGap },
    ...Array.from({ length: optional.length + 1 }, (_, removed) => ({
      columns: everything.filter((column) => !optional.slice(0, removed).includes(head[column] ?? '')),
      gap: narrowGap,
    })),
  ];
  return plans.find((plan) => totalOf(plan) <= width) ?? (plans.at(-1) as TablePlan);
}
