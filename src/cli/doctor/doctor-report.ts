// The output of `hearth doctor`.

import { safeLine } from '../output/format.ts';
import { type Screen, type Style, styled } from '../terminal.ts';

/** `warning`: something may not work as expected. `problem`: something does not work. */
export type CheckStatus = 'ok' | 'warning' | 'problem';

export interface CheckLine {
  /** The name of the check; a check can have several lines. */
  readonly check: string;
  readonly status: CheckStatus;
  readonly text: string;
  readonly nextStep?: string;
}

const colors: Readonly<Record<CheckStatus, Style>> = { ok: 'green', warning: 'yellow', problem: 'red' };
const statusWidth = 9;
const nameWidth = 13;

export function formatLine({ check, status, text, nextStep }: CheckLine, screen: Screen): string {
  const start = `${styled(screen, colors[status], status)}${' '.repeat(statusWidth - status.length)}`;
  const line = `${start}${check.padEnd(nameWidth)}${safeLine(text)}\n`;
  return nextStep === undefined ? line : `${line}${' '.repeat(statusWidth + nameWidth)}→ ${safeLine(nextStep)}\n`;
}

export function countLines(lines: readonly CheckLine[]): Readonly<Record<CheckStatus, number>> {
  const count = (wanted: CheckStatus): number => lines.filter(({ status }) => status === wanted).length;
  return { ok: count('ok'), warning: count('warning'), problem: count('problem') };
}

/** `2 problems, no warnings.` */
export function summaryText(lines: readonly CheckLine[]): string {
  const { problem, warning } = countLines(lines);
  const text = `${describeCount(problem, 'problem')}, ${describeCount(warning, 'warning')}.`;
  return text.replace(/^n/, 'N');
}

function describeCount(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}

export function toJsonReport(version: string, lines: readonly CheckLine[]): object {
  const { ok, warning, problem } = countLines(lines);
  return {
    hearth: version,
    summary: { ok, warnings: warning, problems: problem },
    checks: lines.map(({ check, status, text, nextStep }) => ({
      check,
      status,
      message: safeLine(text),
      ...(nextStep === undefined ? {} : { next_step: safeLine(nextStep) }),
    })),
  };
}
