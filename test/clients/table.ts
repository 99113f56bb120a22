// The table that a run prints: client × capability.

import { type Capability, capabilities } from './client-under-test.ts';

/** `not run`: what it needs of this machine is not installed, and the setup has said so. */
export type Outcome = 'passed' | 'failed' | 'not offered' | 'not run';

export interface ClientResults {
  readonly name: string;
  readonly outcomes: ReadonlyMap<Capability, Outcome>;
}

const signs: Readonly<Record<Outcome, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  'not offered': '–',
  'not run': 'not run',
};

export function renderTable(results: readonly ClientResults[]): string {
  const rows = [
    ['', ...results.map(({ name }) => name)],
    ...capabilities.map((capability) => [
      capability,
      ...results.map(({ outcomes }) => signs[outcomes.get(capability) ?? 'failed']),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n(– is not offered by the client, or not asked of it)`;
}
