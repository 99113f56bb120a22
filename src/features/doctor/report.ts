// The output of `hearth doctor`.

import { formatJson, safeLine } from '../../cli/output/format.ts';
import { type Screen, type Style, styled } from '../../cli/terminal.ts';
import type { CheckFinding, CheckStatus } from '../check.ts';

export interface CheckLine extends CheckFinding {
  /** The check's name; a check can have several lines. */
  readonly check: string;
}

const colors: Readonly<Record<CheckStatus, Style>> = { ok: 'green', warning: 'yellow', problem: 'red' };
const statusWidth = 9;
const nameWidth = 13;

export function formatLine({ check, status, text, nextStep }: CheckLine, screen: Screen): string {
  const start = `${styled(screen, colors[status], status)}${' '.repeat(statusWidth - status.length)}`;
  const line = `${start}${check.padEnd(nameWidth)}${safeLine(text)}\n`;
  return nextStep === undefined ? line : `${line}${' '.repeat(statusWidth + nameWidth)}→ ${safeLine(nextStep)}\n`;
}

/** With the version of Hearth, everything as JSON; otherwise the last line: `2 problems, no warnings.` */
export function formatReport(lines: readonly CheckLine[], version: string | undefined): string {
  const count = (wanted: CheckStatus): number => lines.filter(({ status }) => status === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (version === undefined)
    return `\n${describeCount(problems, 'problem')}, ${describeCount(warnings, 'warning')}.\n`.replace(/^\nn/, '\nN');
  return formatJson({
    hearth: version,
    summary: { ok: count('ok'), warnings, problems },
    checks: lines.map(({ check, status, text, nextStep }) => ({
      check,
      status,
      message: safeLine(text),
      next_step: nextStep === undefined ? undefined : safeLine(nextStep),
    })),
  });
}

function describeCount(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
