// Standard output, standard error and standard input. Only this file knows whether they are terminals or pipes.

import type { Readable } from 'node:stream';
import { processEnvironment } from '../base/config/environment.ts';
import { readTerminalEnvironment } from '../base/config/terminal-environment.ts';
import { HearthError, systemCodeOf } from '../base/errors.ts';

export interface Screen {
  readonly isTerminal: boolean;
  /** Whether the cursor can be moved, so that lines can be redrawn. */
  readonly canRedraw: boolean;
  readonly hasColors: boolean;
  /** The current number of columns; a window can be resized. */
  width(): number;
  height(): number;
  write(text: string): void;
  /** Hidden during redraws; `restore` shows it again. */
  setCursor(visible: boolean): void;
  /** Returns a function that removes the listener. */
  onResize(callback: () => void): () => void;
}

export interface Terminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly stdin: TerminalInput;
  /** Restores the terminal's original state before the process exits. */
  restore(): void;
}

export interface TerminalInput {
  readonly isTerminal: boolean;
  readonly stream: Readable;
  /** Raw mode: single keys without echo. No effect if the input is not a terminal. */
  setRaw(raw: boolean): void;
}

interface TerminalOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  readonly noColors: boolean;
  readonly dumb: boolean;
  /** Called when the reader of standard output is gone (`hearth list | head -1`). */
  readonly onClosed: () => void;
}

/** The terminal of this process, which is restored at its end. */
export function openTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  const onClosed = (): void => process.exit(0);
  const terminal = createTerminal({ stdout, stderr, stdin, ...readTerminalEnvironment(processEnvironment), onClosed });
  process.on('exit', () => terminal.restore());
  return terminal;
}

const defaultWidth = 80;
const defaultHeight = 24;

function createTerminal(options: TerminalOptions): Terminal {
  const stdout = createScreen(options.stdout, options);
  const stderr = createScreen(options.stderr, options);
  const input = options.stdin;
  const stdin: TerminalInput = {
    isTerminal: input.isTTY === true,
    stream: input,
    setRaw: (raw) => {
      if (input.isTTY === true && input.isRaw !== raw) input.setRawMode(raw);
    },
  };
  return {
    stdout,
    stderr,
    stdin,
    restore() {
      for (const screen of [stdout, stderr]) screen.setCursor(true);
      stdin.setRaw(false);
    },
  };
}

interface InputLimit {
  readonly maxBytes: number;
  /** The error for a longer input. */
  readonly tooLong: string;
}

/** Reads piped input up to a limit, because a pipe can be endless. */
export async function readInput(
  { stream }: TerminalInput,
  { maxBytes, tooLong }: InputLimit,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const cancel = (): void => void stream.destroy(new HearthError('cancelled', 'cancelled'));
  signal.addEventListener('abort', cancel);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new HearthError('bad_request', tooLong);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return Buffer.concat(chunks);
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

function createScreen(stream: NodeJS.WriteStream, { stdout, noColors, dumb, onClosed }: TerminalOptions): Screen {
  const isTerminal = stream.isTTY === true;
  const canRedraw = isTerminal && !dumb;
  let cursorVisible = true;
  stream.on('error', (error) => {
    // The reader of the results has exited, so the command can end. Errors of standard error cannot be reported, and a
    // server must not end because its log is no longer read.
    if (stream === stdout && systemCodeOf(error) === 'EPIPE') onClosed();
  });
  return {
    isTerminal,
    canRedraw,
    hasColors: canRedraw && !noColors,
    width: () => stream.columns || defaultWidth,
    height: () => stream.rows || defaultHeight,
    write: (text) => void stream.write(text),
    setCursor(visible) {
      if (!canRedraw || visible === cursorVisible) return;
      cursorVisible = visible;
      stream.write(visible ? showCursor : hideCursor);
    },
    onResize(callback) {
      stream.on('resize', callback);
      return () => stream.off('resize', callback);
    },
  };
}

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Style = keyof typeof styles;

/** Styles the text if the screen supports colors. */
export function styled(screen: Screen, style: Style, text: string): string {
  const [on, off] = styles[style];
  return screen.hasColors && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
