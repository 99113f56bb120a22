// Runs a program that works on files in a process of its own, until it ends or the work is canceled.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { requestCanceled } from '../../../base/errors.ts';
import { type ChildSettings, spawnChild } from '../../../base/process/spawn-child.ts';

interface ProgramRun {
  readonly childSettings: ChildSettings;
  readonly script: string;
  readonly args: readonly string[];
  /** The files that it reads. */
  readonly sources: readonly string[];
  /** The file that it writes. A partial file may remain if it fails. */
  readonly target: string;
  readonly input?: string;
  /** The limit for its JavaScript values. Absent: that of Node. */
  readonly heapMegabytes?: number;
  readonly onStdout?: (text: string) => void;
  readonly onStderr: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Undefined if it has succeeded, otherwise how it has ended. */
export async function runFileProgram(run: ProgramRun): Promise<string | undefined> {
  const { childSettings, script, args, sources, target, input, heapMegabytes, onStdout, onStderr, signal } = run;
  // A sandboxed child can only write a file that exists.
  await writeFile(target, '');
  const child = spawnChild(childSettings, {
    nodeArgs: heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`],
    script,
    args: [...args, 'attached'],
    read: sources,
    write: [target],
    stdio: [input === undefined ? 'ignore' : 'pipe', onStdout ? 'pipe' : 'ignore', 'pipe'],
  });
  if (onStdout) (child.stdout as Readable).setEncoding('utf8').on('data', onStdout);
  (child.stderr as Readable).setEncoding('utf8').on('data', onStderr);
  if (input !== undefined) (child.stdin as Writable).on('error', () => {}).end(input);
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
    if (signal.aborted) throw requestCanceled();
    if (code === 0) return undefined;
    return killedBy === null ? `exit code ${code}` : `signal ${killedBy}`;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
