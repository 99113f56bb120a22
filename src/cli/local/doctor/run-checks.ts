// Runs checks at the same time, each with its own time limit, and yields their lines in the order of the table.

import { describeSystemError } from '../../../base/process/system-error.ts';
import { keepProcessAlive } from '../../../base/time/clock.ts';
import type { CheckLine } from '../../doctor/doctor-report.ts';
import { type Check, type CheckFinding, type DoctorContext, problem } from './check.ts';

export interface CheckRun {
  readonly checks: readonly Check[];
  readonly context: DoctorContext;
  readonly signal: AbortSignal;
}

export async function* runChecks({ checks, context, signal }: CheckRun): AsyncGenerator<CheckLine> {
  // Timers alone do not.
  const release = keepProcessAlive();
  try {
    const running = checks.map((check) => runCheck(check, { context, signal }));
    for (const [index, { name }] of checks.entries())
      for (const finding of (await running[index]) ?? []) yield { check: name, ...finding };
  } finally {
    release();
  }
}

async function runCheck(
  { run, timeLimit }: Check,
  { context, signal }: Omit<CheckRun, 'checks'>,
): Promise<readonly CheckFinding[]> {
  const expired = new AbortController();
  const timer = context.clock.after(timeLimit, () => expired.abort());
  const stop = AbortSignal.any([signal, expired.signal]);
  const tooLate = (): CheckFinding[] => {
    const text = `the check did not end within ${timeLimit / 1000} seconds`;
    return [problem(text, 'look for a disk, a driver or a network that hangs')];
  };
  try {
    const findings = await Promise.race([run(context, stop), untilAborted(stop)]);
    return findings === 'aborted' ? tooLate() : findings;
  } catch (error) {
    if (stop.aborted) return tooLate();
    return [problem(`the check failed: ${describeSystemError(error)}`, 'fix the cause and run `hearth doctor` again')];
  } finally {
    timer.cancel();
  }
}

function untilAborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'), { once: true }));
}
