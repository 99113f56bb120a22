// The command `hearth` as people start it: in a terminal (tmux) or with pipes around it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post } from './client.ts';
import { repository } from './repository.ts';
import { openTerminal, type TerminalOptions, type TestTerminal } from './terminal.ts';

export const hearth = [process.execPath, repository('dist/main.js')] as const;

export interface Home {
  readonly folder: string;
  /** `hearth` with these words, in a terminal. */
  open(words: readonly string[], options?: Partial<TerminalOptions>): TestTerminal;
  /** The same with pipes; what is given is all that comes in. */
  pipe(words: readonly string[], input?: string): Promise<Piped>;
  /** Closes what is still open. */
  remove(): void;
}

export interface Piped {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Somebody's home folder, whose commands talk to one server. */
export function createHome(host: string, environment: Readonly<Record<string, string>> = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-home-'));
  const variables = { HOME: folder, HEARTH_HOST: host, ...environment };
  const terminals: TestTerminal[] = [];
  return {
    folder,
    open(words, options = {}) {
      const terminal = openTerminal({
        command: [...hearth, ...words],
        cwd: folder,
        environment: variables,
        ...options,
      });
      terminals.push(terminal);
      return terminal;
    },
    async pipe(words, input = '') {
      const [program, ...script] = hearth;
      const child = spawn(program, [...script, ...words], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...variables },
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      child.stdin.end(input);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout, stderr };
    },
    remove() {
      for (const terminal of terminals) terminal.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ember, but the same question always has the same answer. */
export async function createSteadyEmber(url: string): Promise<void> {
  const parameters = { temperature: 0, seed: 1, num_predict: 60 };
  const { status, text } = await post(url, '/api/create', {
    model: 'steady',
    from: 'ember',
    parameters,
    stream: false,
  });
  if (status !== 200) throw new Error(text);
}
