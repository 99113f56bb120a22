import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { type Check, type CheckContext, ok } from '../check.ts';
import type { CheckLine } from './report.ts';
import { runChecks } from './run-checks.ts';

const check = (name: string, run: Check['run']): Check => ({ name, timeLimitMs: 1000, run });

async function collect(checks: readonly Check[], during: (clock: { advance(ms: number): void }) => void) {
  const clock = createFakeClock();
  const lines: CheckLine[] = [];
  const running = (async () => {
    const context = { clock } as unknown as CheckContext;
    for await (const line of runChecks(checks, context, new AbortController().signal)) lines.push(line);
  })();
  await new Promise((resolve) => setImmediate(resolve));
  during(clock);
  await running;
  return lines;
}

test('a check that hangs is a problem, and the others are not affected', async () => {
  let aborted = false;
  const hangs = check('first', (_, signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  const lines = await collect([hangs, check('second', async () => [ok('fine')])], (clock) => clock.advance(1000));
  expect(lines).toEqual([
    { check: 'first', status: 'problem', text: 'the check did not end within 1 seconds', nextStep: expect.any(String) },
    { check: 'second', status: 'ok', text: 'fine' },
  ]);
  expect(aborted).toBe(true);
});

test('a check that throws is a problem, and lines have the order of the checks', async () => {
  const throws = check('first', async () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  });
  const several = check('second', async () => [ok('one'), ok('two')]);
  const lines = await collect([throws, several], () => {});
  expect(lines.map(({ check: name, text }) => `${name}: ${text}`)).toEqual([
    'first: the check failed: no permission',
    'second: one',
    'second: two',
  ]);
});
