// Starts child processes. Those for untrusted work have few environment variables and, on Linux, a launcher that
// restricts them to their own files and forbids network access.

import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { HearthError } from '../errors.ts';
import { serverVariable } from './child-program.ts';

export interface ChildSettings {
  /** All variables that the child gets. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The script that applies the sandbox. Absent: there is none. */
  readonly launcher?: string;
}

interface ChildOrder {
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** Absent if `nodeArgs` contain the program. */
  readonly script?: string;
  readonly args?: readonly string[];
  /** Files that the child may read. */
  readonly read: readonly string[];
  /** Existing files that it may write. */
  readonly write?: readonly string[];
  /** Folders in which it may create, write and remove files. */
  readonly folders?: readonly string[];
  /** Whether it needs the GPUs of the machine, and what their drivers use. */
  readonly usesGpu?: boolean;
  readonly stdio: StdioOptions;
  /** The working folder; by default that of the server. */
  readonly cwd?: string;
}

export function spawnChild(settings: ChildSettings, order: ChildOrder): ChildProcess {
  const { nodeArgs = [], script, args = [], read, write = [], folders = [], usesGpu = false, stdio, cwd } = order;
  const { launcher, environment } = settings;
  const isSandboxed = launcher !== undefined && process.platform === 'linux';
  const command = isSandboxed
    ? [launcher, JSON.stringify({ nodeArgs, script, args, read, write, folders, usesGpu })]
    : [...nodeArgs, ...(script === undefined ? [] : [script]), ...args];
  return startProcess(process.execPath, command, {
    stdio,
    cwd,
    windowsHide: true,
    env: { ...environment, [serverVariable]: String(process.pid) },
  });
}

/** The loader of the system looks for libraries in these folders first. */
export function withLibraryFolders(
  settings: ChildSettings,
  folders: readonly string[] = [],
  platform: string = process.platform,
): ChildSettings {
  if (folders.length === 0) return settings;
  const { environment = {} } = settings;
  const [wanted, separator] = platform === 'win32' ? ['PATH', ';'] : ['LD_LIBRARY_PATH', ':'];
  // Names of variables have no case on Windows.
  const name = Object.keys(environment).find((other) => other.toUpperCase() === wanted) ?? wanted;
  const value = [...folders, environment[name]].filter(Boolean).join(separator);
  return { ...settings, environment: { ...environment, [name]: value } };
}

/** The caller listens to `error`. Throws `busy` if there is no file handle for the pipes. */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options);
  // Without a file handle, Node creates no streams, and emits `error` when the caller has failed for lack of them.
  if ((child.stdio as unknown) === undefined) {
    child.on('error', () => {});
    throw new HearthError('busy', 'the server has too many open files to start a program; try again later');
  }
  return child;
}
