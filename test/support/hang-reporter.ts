// Names tests that run for very long, and ends a run that hangs. A worker in an endless loop never reaches vitest's
// timeout of a test; the main process still has a timer.

import { relative } from 'node:path';
import type { Reporter } from 'vitest/node';
import { closeNotes, forgetRunning, openNotes, type RunningTest, runningTests } from './running-tests.ts';

export interface HangLimits {
  /** Seconds after which a test is named. */
  readonly noticeAfter: number;
  /** Seconds after which the run ends; more than any test's own timeout. */
  readonly endAfter: number;
}

export function createHangReporter({ noticeAfter, endAfter }: HangLimits): Reporter {
  let folder: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const noticed = new Set<string>();

  function look(): void {
    // A worker that crashed leaves its note behind.
    for (const test of folder === undefined ? [] : runningTests(folder).filter(isAlive)) {
      const seconds = (Date.now() - test.since) / 1000;
      const key = `${test.file} ${test.since}`;
      if (seconds >= noticeAfter && !noticed.has(key)) {
        noticed.add(key);
        process.stderr.write(`\nstill running after ${noticeAfter} s: ${titleOf(test)}\n`);
      }
      // After the notice, because a slow machine may look so late that both are due.
      if (seconds >= endAfter) endRun(test, endAfter);
    }
  }

  function close(): void {
    clearInterval(timer);
    if (folder !== undefined) closeNotes(folder);
    folder = undefined;
  }

  return {
    onInit() {
      folder = openNotes();
      timer = setInterval(look, Math.min(noticeAfter, 5) * 500);
      timer.unref();
      process.once('exit', close);
    },
    onTestModuleEnd({ moduleId }) {
      if (folder !== undefined) forgetRunning(folder, moduleId);
    },
  };
}

function isAlive({ pid }: RunningTest): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function titleOf({ file, name }: RunningTest): string {
  return `${relative(process.cwd(), file)} > ${name ?? '(loading, or a hook of the file)'}`;
}

function endRun(test: RunningTest, seconds: number): never {
  process.stderr.write(`\nThe run ends: ${titleOf(test)} hangs, it has run for ${seconds} s.\n`);
  // A worker process in an endless loop would outlive this one. Threads end with it.
  if (test.pid !== process.pid) process.kill(test.pid, 'SIGKILL');
  process.exit(1);
}
