// Runs the checks in a process of its own. A file system that never answers blocks threads of the process that asks it,
// and such a process can neither be trusted to finish nor exit by itself: this one ends it.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Clock } from '../../base/time/clock.ts';
import type { CheckLine } from './report.ts';

interface Supervision {
  /** Prints lines as JSON, and `endOfChecks` last. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export const endOfChecks = '{"end":true}';

// Each check has a limit of its own, which is shorter.
const timeLimitMs = 60_000;

export async function* superviseChecks({ command, clock, signal }: Supervision): AsyncGenerator<CheckLine> {
  const [program, ...words] = command;
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], windowsHide: true });
  const stop = (): void => void child.kill('SIGKILL');
  const timer = clock.after(timeLimitMs, stop);
  signal.addEventListener('abort', stop, { once: true });
  // A process that does not start prints no lines.
  child.once('error', () => {});
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      if (text === endOfChecks) return;
      yield JSON.parse(text) as CheckLine;
    }
    if (!signal.aborted) yield unfinished;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
    stop();
  }
}

const unfinished: CheckLine = {
  check: 'doctor',
  status: 'problem',
  text: 'the checks did not end',
  nextStep: 'look for a disk that hangs, such as that of the home folder',
};
