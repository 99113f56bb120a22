// Starts the real server as a separate process with its own store.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hearthScript } from './command.ts';
import { childrenOf, commandOf } from './processes.ts';
import { spawnGuarded } from './spawn-guarded.ts';

export interface TestServer {
  readonly url: string;
  readonly pid: number;
  readonly store: string;
  /** Its standard error so far. */
  readonly log: () => string;
  readonly stdout: () => string;
  /** The process ids of its runners, without the process that renders templates. */
  runners(): number[];
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code when the process has ended. */
  readonly exit: Promise<number | null>;
  /** Ends the server and removes its store. */
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** An existing store. It is not removed by `stop`. */
  readonly store?: string;
  /** Instead of the built program. */
  readonly entry?: string;
  /** The server ends when this process is killed. */
  readonly isGuarded?: boolean;
  /** How many files the server may have open. Not on Windows. */
  readonly maxOpenFiles?: number;
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { environment = {}, store, entry = hearthScript, isGuarded = false, maxOpenFiles } = options;
  const folder = store ?? mkdtempSync(join(tmpdir(), 'hearth-test-'));
  const env = {
    PATH: process.env['PATH'],
    // Without the settings of the current user.
    HOME: folder,
    HEARTH_HOST: '127.0.0.1:0',
    HEARTH_MODELS: join(folder, 'models'),
    ...environment,
  };
  const args = [entry, 'serve'];
  const limit = `ulimit -n ${maxOpenFiles}; exec "$@"`;
  const [program, words] =
    maxOpenFiles === undefined ? [process.execPath, args] : ['/bin/sh', ['-c', limit, 'sh', process.execPath, ...args]];
  const child = isGuarded
    ? spawnGuarded(program, words, { env })
    : spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const url = await addressOf(child, () => output);
  return {
    url,
    pid: child.pid as number,
    store: join(folder, 'models'),
    log: () => output.stderr,
    stdout: () => output.stdout,
    runners: () => childrenOf(child.pid as number).filter((pid) => commandOf(pid).includes('runner/process/main.js')),
    signal: (name) => void child.kill(name),
    exit,
    async stop() {
      child.kill('SIGTERM');
      await exit;
      if (store === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addressOf(child: ChildProcess, output: () => { stdout: string; stderr: string }): Promise<string> {
  for (;;) {
    const address = /listening on ((?:http|unix)[^\s;]+)/.exec(output().stdout)?.[1];
    if (address !== undefined) return address;
    if (child.exitCode !== null) throw new Error(`the server ended: ${output().stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
