// Runs pip or npm as a child process in its own process group, so that canceling also ends the processes it starts.

import { type ChildProcess, spawn } from 'node:child_process';
import { HearthError, systemCodeOf } from '../../base/errors.ts';

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

/** Undefined if the program does not exist. Rejects with `cancelled` if the signal aborts. */
export async function runCommand(line: CommandLine): Promise<CommandOutput | undefined> {
  const { program, args, cwd, environment, signal, onLine } = line;
  if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
  const isWindows = process.platform === 'win32';
  const child = spawn(program, args, {
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
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout = (output.stdout + text).slice(-maxOutput);
    const lines = (pending + text).slice(-maxOutput).split('\n');
    pending = lines.pop() ?? '';
    for (const complete of lines) onLine?.(complete);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = (output.stderr + text).slice(-maxOutput);
  });
  try {
    const code = await exitOf(child);
    if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
    return code === 'missing' ? undefined : { code, ...output };
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
    if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
