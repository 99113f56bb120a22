// Runs pip or npm as a child process in its own process group, so that canceling also ends the processes it starts.

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { requestCanceled, systemCodeOf } from '../../base/errors.ts';
import { startProcess } from '../../base/process/spawn-child.ts';

export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

interface CommandLine {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: ToolEnvironment;
  readonly signal: AbortSignal;
  /** Called for each line of standard output. */
  readonly onLine?: (line: string) => void;
}

export interface CommandOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

// The last characters are kept: errors are at the end. The metadata of a package is below a megabyte.
const maxOutput = 4 * 2 ** 20;

/** The memory of pip or npm. pip reads the metadata of a package as a whole, which can be a compressed bomb. */
export const maxToolMemoryBytes = 2 ** 30;
// A limit on data counts neither the code of programs nor the address space that Node reserves. macOS ignores it.
const limitMemory = `ulimit -d ${maxToolMemoryBytes / 1024} 2>/dev/null; exec "$@"`;
// The exit code of a shell that does not find the program.
const notFound = 127;

/** Undefined if the program does not exist. Rejects with `cancelled` if the signal aborts. */
export async function runCommand(line: CommandLine): Promise<CommandOutput | undefined> {
  const { program, args, cwd, environment, signal, onLine } = line;
  if (signal.aborted) throw requestCanceled();
  const isWindows = process.platform === 'win32';
  const command = isWindows ? [program, ...args] : ['/bin/sh', '-c', limitMemory, 'sh', program, ...args];
  const child = startProcess(command[0] as string, command.slice(1), {
    cwd,
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
    // A script needs a shell there. No argument contains a space or a quote.
    shell: isWindows && program.endsWith('.cmd'),
  });
  const stop = (): void => killGroup(child, isWindows);
  signal.addEventListener('abort', stop, { once: true });
  const output = { stdout: '', stderr: '' };
  let pending = '';
  (child.stdout as Readable).setEncoding('utf8').on('data', (text: string) => {
    output.stdout = (output.stdout + text).slice(-maxOutput);
    const lines = (pending + text).slice(-maxOutput).split('\n');
    pending = lines.pop() ?? '';
    for (const complete of lines) onLine?.(complete);
  });
  (child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
    output.stderr = (output.stderr + text).slice(-maxOutput);
  });
  try {
    const code = await exitOf(child);
    if (signal.aborted) throw requestCanceled();
    return code === 'missing' || code === notFound ? undefined : { code, ...output };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function exitOf(child: ChildProcess): Promise<number | null | 'missing'> {
  return new Promise((resolve, reject) => {
    child.once('close', (code) => resolve(code));
    child.once('error', (error) => (systemCodeOf(error) === 'ENOENT' ? resolve('missing') : reject(error)));
  });
}

function killGroup(child: ChildProcess, isWindows: boolean): void {
  if (child.pid === undefined) return;
  try {
    // The negative number is the group.
    if (!isWindows) process.kill(-child.pid, 'SIGKILL');
    else {
      const options = { stdio: 'ignore', windowsHide: true } as const;
      startProcess('taskkill', ['/pid', String(child.pid), '/t', '/f'], options).on('error', () => {});
    }
  } catch {
    // The process has ended.
  }
}
