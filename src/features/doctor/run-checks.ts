// Runs checks at the same time, each with its own time limit, and yields their lines in the order of the checks.

import { describeSystemError } from '../../base/process/system-error.ts';
import { keepProcessAlive } from '../../base/time/clock.ts';
import { type Check, type CheckContext, type CheckFinding, problem, usualTimeLimitMs } from '../check.ts';
import type { CheckLine } from './report.ts';

export async function* runChecks(
  checks: readonly Check[],
  context: CheckContext,
  signal: AbortSignal,
): AsyncGenerator<CheckLine> {
  // Timers alone do not keep the process alive.
  const release = keepProcessAlive();
  try {
    const running = checks.map((check) => runCheck(check, context, signal));
    for (const [index, { name }] of checks.entries())
      for (const finding of (await running[index]) ?? []) yield { check: name, ...finding };
  } finally {
    release();
  }
}

async function runCheck(
  { run, timeLimitMs = usualTimeLimitMs }: Check,
  context: CheckContext,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const expired = new AbortController();
  const timer = context.clock.after(timeLimitMs, () => expired.abort());
  const stop = AbortSignal.any([signal, expired.signal]);
  const aborted = new Promise<never>((_, reject) =>
    stop.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  );
  try {
    return await Promise.race([run(context, stop), aborted]);
  } catch (error) {
    if (!stop.aborted)
      return [
        problem(`the check failed: ${describeSystemError(error)}`, 'fix the cause and run `hearth doctor` again'),
      ];
    const text = `the check did not end within ${timeLimitMs / 1000} seconds`;
    return [problem(text, 'look for a disk, a driver or a network that hangs')];
  } finally {
    timer.cancel();
  }
}
