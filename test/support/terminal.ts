// A real terminal for tests: runs a command in its own tmux session, sends keys and reads the screen.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from './processes.ts';

export interface TerminalOptions {
  readonly command: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface TestTerminal {
  /** The text on the screen, without trailing whitespace and empty lines at the end. */
  screen(): string;
  /** The screen including the scrollback. */
  history(): string;
  /** Types text literally. */
  type(text: string): void;
  /** Presses keys by tmux's names: Enter, C-c, Up, Escape, BSpace … */
  press(...keys: string[]): void;
  /** Pastes text, bracketed if the program has enabled that. */
  paste(text: string): void;
  cursorIsVisible(): boolean;
  resize(columns: number, rows: number): void;
  /** Waits until the screen matches, and returns it. */
  waitFor(expected: string | RegExp, timeout?: number): Promise<string>;
  /** Waits until the command has ended, and returns its exit code. */
  exitCode(timeout?: number): Promise<number>;
  close(): void;
}

/** Tests are skipped without tmux; scripts/system-packages.mjs installs it. */
export const hasTmux = spawnSync('tmux', ['-V'], { stdio: 'ignore' }).status === 0;

const defaultTimeout = 30_000;
const pollInterval = 40;

export function openTerminal(options: TerminalOptions): TestTerminal {
  const { command, columns = 80, rows = 24, environment = {}, cwd = process.cwd() } = options;
  const folder = mkdtempSync(join(tmpdir(), 'hearth-tmux-'));
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // UTF-8 independent of the machine's locale.
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: folder },
    });
  const variables = Object.entries({ TERM: 'tmux-256color', LC_ALL: 'C.UTF-8', HOME: folder, ...environment });
  const clean = ['env', '-i', `PATH=${process.env['PATH']}`, ...variables.map(([name, value]) => `${name}=${value}`)];
  const ended = join(folder, 'exit-code');
  // The session stays open after the command has ended, so that the last screen and the exit code can be read. The
  // shell ignores Ctrl-C, so that only the command receives it.
  const script = `trap : INT QUIT; ${[...clean, ...command].map(shellQuoted).join(' ')}; echo $? > ${ended}; exec sleep 3600`;
  const session = ['new-session', '-d', '-s', 't', '-x', String(columns), '-y', String(rows), '-c', cwd];
  tmux('start-server', ';', 'set-option', '-g', 'status', 'off', ';', ...session, 'sh', '-c', script);

  const capture = (...flags: string[]): string =>
    tmux('capture-pane', '-p', '-t', 't', ...flags)
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  const screen = (): string => capture();

  const waitUntil = async (expectation: string, isMet: () => boolean, timeout: number): Promise<void> => {
    const deadline = Date.now() + timeout;
    while (!isMet()) {
      if (Date.now() > deadline) throw new Error(`timeout waiting for ${expectation}; the screen is:\n${screen()}`);
      await pause(pollInterval);
    }
  };

  return {
    screen,
    history: () => capture('-S', '-'),
    // tmux treats a trailing semicolon as the end of its own command.
    type: (text) => void tmux('send-keys', '-t', 't', '-l', '--', text.replace(/;$/, '\\;')),
    press: (...keys) => void tmux('send-keys', '-t', 't', ...keys),
    paste(text) {
      tmux('set-buffer', '-b', 'pasted', text);
      tmux('paste-buffer', '-p', '-d', '-b', 'pasted', '-t', 't');
    },
    cursorIsVisible: () => tmux('display-message', '-p', '-t', 't', '#{cursor_flag}').trim() === '1',
    resize: (newColumns, newRows) =>
      void tmux('resize-window', '-t', 't', '-x', String(newColumns), '-y', String(newRows)),
    async waitFor(expected, timeout = defaultTimeout) {
      const matches = (): boolean =>
        typeof expected === 'string' ? screen().includes(expected) : expected.test(screen());
      await waitUntil(String(expected), matches, timeout);
      return screen();
    },
    async exitCode(timeout = defaultTimeout) {
      const code = (): string => (existsSync(ended) ? readFileSync(ended, 'utf8').trim() : '');
      await waitUntil('the end of the command', () => code() !== '', timeout);
      return Number(code());
    },
    close() {
      spawnSync('tmux', ['-S', join(folder, 'socket'), 'kill-server'], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
