// `hearth registry serve` as a child process with a temporary folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hearthScript } from '../command.ts';
import { pause } from '../processes.ts';

export interface TestRegistry {
  readonly url: string;
  /** 127.0.0.1:<port>, as in model names. */
  readonly host: string;
  readonly folder: string;
  readonly pid: number;
  readonly log: () => string;
  /** Replaces the registered keys. */
  register(...lines: string[]): void;
  /** Sends SIGKILL and keeps the folder. */
  kill(): Promise<void>;
  /** Stops the process, and removes the folder unless it was given. */
  stop(): Promise<void>;
}

export interface TestRegistryOptions {
  readonly flags?: readonly string[];
  readonly keys?: readonly string[];
  /** An existing folder, which is kept. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const { flags = [], keys, folder, environment = {} } = options;
  const root = folder ?? mkdtempSync(join(tmpdir(), 'hearth-registry-'));
  const register = (...lines: string[]): void => writeFileSync(join(root, 'authorized_keys'), `${lines.join('\n')}\n`);
  if (keys !== undefined) register(...keys);
  const child = spawn(
    process.execPath,
    [hearthScript, 'registry', 'serve', '--port', '0', '--folder', root, ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: root, ...environment } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const exit = once(child, 'close');
  const url = await addressOf(child, () => output);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exit;
  };
  return {
    url,
    host: url.replace(/^https?:\/\//, ''),
    folder: root,
    pid: child.pid as number,
    log: () => output,
    register,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      if (folder === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

async function addressOf(child: ChildProcess, output: () => string): Promise<string> {
  for (;;) {
    const address = /listening on (https?:\/\/[^,\s]+)/.exec(output())?.[1];
    if (address !== undefined) return address;
    if (child.exitCode !== null) throw new Error(`the registry exited: ${output()}`);
    await pause(20);
  }
}
