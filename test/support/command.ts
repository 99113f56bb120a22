// Runs the command `hearth` without the settings of the current user.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './repository.ts';

export const hearthScript = repository('test/support/run-hearth.cjs');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** The address of the server. */
  readonly url: string;
  readonly input?: string;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export function commandEnvironment({ url, environment = {} }: CommandOptions): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), HEARTH_HOST: url, ...environment };
}

/** Without a terminal: stdout and stderr are pipes. */
export async function hearth(words: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const child = spawn(process.execPath, [hearthScript, ...words], {
    env: commandEnvironment(options),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  }
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Creates a folder for PATH with the command `hearth`, like an installation. */
export function installShim(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-bin-'));
  const path = join(folder, 'hearth');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${hearthScript}' "$@"\n`);
  chmodSync(path, 0o755);
  return folder;
}
