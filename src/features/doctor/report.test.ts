import { expect, test } from 'vitest';
import type { Screen } from '../../cli/terminal.ts';
import { type CheckLine, formatLine, formatReport } from './report.ts';

const good: CheckLine = { check: 'node', status: 'ok', text: 'Node 20' };
const unsure: CheckLine = { check: 'registry', status: 'warning', text: 'no network', nextStep: 'check the network' };
const bad: CheckLine = { check: 'store', status: 'problem', text: 'a manifest\u001b[31m is damaged', nextStep: 'pull' };
const format = (lines: readonly CheckLine[]): string =>
  lines.map((line) => formatLine(line, { hasColors: false } as Screen)).join('') + formatReport(lines, undefined);

test('each line has its status and the next step', () => {
  expect(format([good, unsure])).toBe(`ok       node         Node 20
warning  registry     no network
                      → check the network

No problems, 1 warning.
`);
});

test('control characters are removed', () => {
  const output = format([good, bad, bad]);
  expect(output).toContain('problem  store        a manifest[31m is damaged\n');
  expect(output).toContain('\n2 problems, no warnings.\n');
});

test('as JSON', () => {
  expect(JSON.parse(formatReport([unsure, bad], '1.0.0'))).toEqual({
    hearth: '1.0.0',
    summary: { ok: 0, warnings: 1, problems: 1 },
    checks: [
      { check: 'registry', status: 'warning', message: 'no network', next_step: 'check the network' },
      { check: 'store', status: 'problem', message: 'a manifest[31m is damaged', next_step: 'pull' },
    ],
  });
});
