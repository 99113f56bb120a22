import { expect, test } from 'vitest';
import type { CliContext } from '../command.ts';
import { doctorCommand } from './doctor-command.ts';
import type { CheckLine } from './doctor-report.ts';

const good: CheckLine = { check: 'node', status: 'ok', text: 'Node 20' };
const unsure: CheckLine = { check: 'registry', status: 'warning', text: 'no network', nextStep: 'check the network' };
const bad: CheckLine = { check: 'store', status: 'problem', text: 'a manifest\u001b[31m is damaged', nextStep: 'pull' };

async function run(lines: readonly CheckLine[], options = {}) {
  const written: string[] = [];
  const stdout = { hasColors: false, write: (text: string) => void written.push(text) };
  const context = { terminal: { stdout }, version: '1.0.0', signal: new AbortController().signal };
  const command = doctorCommand(async function* () {
    yield* lines;
  });
  const code = await command.execute?.(context as unknown as CliContext, { words: [], options });
  return { code, output: written.join('') };
}

test('each line has its status and the next step', async () => {
  expect(await run([good, unsure])).toEqual({
    code: 0,
    output: `ok       node         Node 20
warning  registry     no network
                      → check the network

No problems, 1 warning.
`,
  });
});

test('a problem is exit code 1; control characters are removed', async () => {
  const { code, output } = await run([good, bad, bad]);
  expect(code).toBe(1);
  expect(output).toContain('problem  store        a manifest[31m is damaged\n');
  expect(output).toContain('\n2 problems, no warnings.\n');
});

test('as JSON', async () => {
  const { code, output } = await run([unsure, bad], { json: true });
  expect(code).toBe(1);
  expect(JSON.parse(output)).toEqual({
    hearth: '1.0.0',
    summary: { ok: 0, warnings: 1, problems: 1 },
    checks: [
      { check: 'registry', status: 'warning', message: 'no network', next_step: 'check the network' },
      { check: 'store', status: 'problem', message: 'a manifest[31m is damaged', next_step: 'pull' },
    ],
  });
});
