// Starts a child process for native code: with few environment variables and, on Linux, through a launcher that restricts
// it to its own files and forbids network access.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';

export interface ChildSettings {
  /** All variables that the child gets. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The script that applies the sandbox. Absent: there is none. */
  readonly launcher?: string;
}

export interface ChildOrder {
  readonly script: string;
  readonly args?: readonly string[];
  /** Files that the child may read. */
  readonly read: readonly string[];
  /** Existing files that it may write. */
  readonly write?: readonly string[];
  readonly stdio: StdioOptions;
}

export function spawnChild(settings: ChildSettings, order: ChildOrder): ChildProcess {
  const { script, args = [], read, write = [], stdio } = order;
  const isSandboxed = settings.launcher !== undefined && process.platform === 'linux';
  const command = isSandboxed ? [settings.launcher, JSON.stringify({ script, args, read, write })] : [script, ...args];
  return spawn(process.execPath, command, { stdio, windowsHide: true, env: { ...settings.environment } });
}
