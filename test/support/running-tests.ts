// Which test each worker runs, as notes in a folder: one file per test file. Vitest sends its own messages in batches,
// so a worker whose event loop is blocked never sends the one that names the test. A file is written at once.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RunningTest {
  readonly file: string;
  /** Without one, the file is being loaded, or a hook of all its tests runs. */
  readonly name?: string;
  /** Of the worker; the threads of a process share it. */
  readonly pid: number;
  /** In milliseconds since 1970: the only clock that processes share. */
  readonly since: number;
}

const variable = 'HEARTH_TEST_NOTES';

/** For the main process, before there are workers: they inherit the folder's path. */
export function openNotes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-tests-'));
  process.env[variable] = folder;
  return folder;
}

export function closeNotes(folder: string): void {
  delete process.env[variable];
  rmSync(folder, { recursive: true, force: true });
}

// Names of test files repeat; the path as a whole is the name of its note.
const notePath = (folder: string, file: string): string => join(folder, encodeURIComponent(file).slice(-200));

// Bound now: a test may replace the clock.
const now = Date.now.bind(Date);

/** For workers. Does nothing in a run without notes. */
export function noteRunning(file: string, name?: string): void {
  const folder = process.env[variable];
  if (folder === undefined) return;
  const note: RunningTest = { file, name, pid: process.pid, since: now() };
  try {
    writeFileSync(notePath(folder, file), JSON.stringify(note));
  } catch {
    // The folder may have been removed, or the disk is full. No test fails because of a note.
  }
}

export function forgetRunning(folder: string, file: string): void {
  rmSync(notePath(folder, file), { force: true });
}

export function runningTests(folder: string): RunningTest[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), 'utf8')) as RunningTest];
    } catch {
      // It is being written, or has just been removed.
      return [];
    }
  });
}
