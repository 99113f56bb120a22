import { expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import type { CheckLine } from './report.ts';
import { superviseChecks } from './supervise-checks.ts';

const line: CheckLine = { check: 'node', status: 'ok', text: 'Node 20' };
const printLine = `process.stdout.write(${JSON.stringify(`${JSON.stringify(line)}\n`)});`;
const printEnd = `process.stdout.write('{"end":true}\\n');`;
const runForever = 'setInterval(() => {}, 1000);';

async function supervise(script: string, onLine: (clock: FakeClock, stop: () => void) => void = () => {}) {
  const clock = createFakeClock();
  const controller = new AbortController();
  const lines: CheckLine[] = [];
  const command = [process.execPath, '--eval', script] as const;
  for await (const each of superviseChecks({ command, clock, signal: controller.signal })) {
    lines.push(each);
    onLine(clock, () => controller.abort());
  }
  return lines;
}

test('a process that does not exit after its last line is ended', async () => {
  expect(await supervise(printLine + printEnd + runForever)).toEqual([line]);
});

test('a process that ends too early, or not at all, is a problem', async () => {
  const unfinished = expect.objectContaining({ check: 'doctor', status: 'problem' });
  expect(await supervise(printLine)).toEqual([line, unfinished]);
  expect(await supervise(printLine + runForever, (clock) => clock.advance(60_000))).toEqual([line, unfinished]);
});

test('an interruption ends the process', async () => {
  expect(await supervise(printLine + runForever, (_, stop) => stop())).toEqual([line]);
});
