// The one place that knows what stands on the other side of standard output, standard error and standard input: a
// terminal of some width, or a pipe.

import type { Readable } from 'node:stream';
import { systemCodeOf } from '../base/errors.ts';

export interface Screen {
  readonly isTerminal: boolean;
  /** Whether its cursor can be moved, so that lines can be drawn again. */
  readonly canRedraw: boolean;
  readonly hasColours: boolean;
  /** Columns, now: a window can change its size. */
  width(): number;
  height(): number;
  write(text: string): void;
  /** A cursor that jumps about is no sight. Comes back at the end whatever happens. */
  setCursor(visible: boolean): void;
  /** Returns how to stop listening. */
  onResize(callback: () => void): () => void;
}

export interface Terminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly stdin: TerminalInput;
  /** Puts everything back as it was; for the very end. */
  restore(): void;
}

export interface TerminalInput {
  readonly isTerminal: boolean;
  readonly stream: Readable;
  /** Keys one by one, without an echo. Does nothing where there is no terminal. */
  setRaw(raw: boolean): void;
}

export interface TerminalOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  readonly noColours: boolean;
  readonly dumb: boolean;
  /** Called once nobody reads standard output any more (`hearth list | head -1`). */
  readonly onClosed: () => void;
}

const usualWidth = 80;
const usualHeight = 24;

export function createTerminal(options: TerminalOptions): Terminal {
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

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

function createScreen(stream: NodeJS.WriteStream, { stdout, noColours, dumb, onClosed }: TerminalOptions): Screen {
  const isTerminal = stream.isTTY === true;
  const canRedraw = isTerminal && !dumb;
  let cursorVisible = true;
  stream.on('error', (error) => {
    // Whoever read the results has what they wanted. Anything else is beyond telling: this is where it would be told; and
    // a server does not end because nobody reads its log any more.
    if (stream === stdout && systemCodeOf(error) === 'EPIPE') onClosed();
  });
  return {
    isTerminal,
    canRedraw,
    hasColours: canRedraw && !noColours,
    width: () => stream.columns || usualWidth,
    height: () => stream.rows || usualHeight,
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

/** The text in a colour, where the screen has any. */
export function styled(screen: Screen, style: Style, text: string): string {
  const [on, off] = styles[style];
  return screen.hasColours && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
