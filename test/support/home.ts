// A temporary home folder, and `hearth` started in it: in a terminal (tmux) or with pipes.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post } from './client.ts';
import { type CommandResult, hearth, hearthScript } from './command.ts';
import { isAlive, pause } from './processes.ts';
import { openTerminal, type TerminalOptions, type TestTerminal } from './terminal.ts';

export interface Home {
  readonly folder: string;
  /** Runs `hearth` with these arguments in a terminal. */
  open(words: readonly string[], options?: Partial<TerminalOptions>): TestTerminal;
  /** The same with pipes; `input` is the entire standard input. */
  pipe(words: readonly string[], input?: string): Promise<CommandResult>;
  /** Closes open terminals and removes the folder. */
  remove(): void;
}

/** A home folder whose commands use one server. */
export function createHome(host: string, environment: Readonly<Record<string, string>> = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-home-'));
  const variables = { HOME: folder, HEARTH_HOST: host, ...environment };
  const terminals: TestTerminal[] = [];
  return {
    folder,
    open(words, options = {}) {
      const terminal = openTerminal({
        command: [process.execPath, hearthScript, ...words],
        cwd: folder,
        environment: variables,
        ...options,
      });
      terminals.push(terminal);
      return terminal;
    },
    pipe: (words, input = '') => hearth(words, { url: host, input, cwd: folder, environment: variables }),
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

/** The process ids of servers that commands have started in the background, from the locks of the store. */
export function serversOf({ folder }: Home): number[] {
  const store = join(folder, '.hearth', 'models');
  const names = existsSync(store) ? readdirSync(store) : [];
  return names
    .flatMap((name) => /^hearth-lock-(\d+)-/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter(isAlive);
}

export async function stopServersOf(home: Home): Promise<void> {
  for (const pid of serversOf(home)) {
    process.kill(pid, 'SIGTERM');
    while (isAlive(pid)) await pause(20);
  }
}
