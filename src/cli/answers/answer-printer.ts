// Prints an answer while it streams: wrapped and sanitized on a terminal, unchanged in a pipe. Thinking is dimmed on a
// terminal. If the answer goes to a pipe, thinking goes to standard error.

import { type Screen, styled, type Terminal } from '../terminal.ts';
import { createTerminalText } from './terminal-text.ts';
import { createWordWrap } from './word-wrap.ts';

interface PrinterOptions {
  readonly wordWrap: boolean;
  readonly hideThinking: boolean;
}

export function createAnswerPrinter(terminal: Terminal, options: PrinterOptions) {
  const { stdout } = terminal;
  const answer = stdout.isTerminal ? terminalOutput(stdout, options.wordWrap) : plainOutput(stdout);
  const thinkingOutput = stdout.isTerminal ? answer : plainOutput(terminal.stderr);
  let phase: 'none' | 'thinking' | 'content' = 'none';

  const endThinking = (): void => {
    const lineEnd = thinkingOutput.atLineStart() ? '' : '\n';
    thinkingOutput.write(`${lineEnd}...done thinking.\n\n`, 'dim');
  };

  return {
    thinking(text: string): void {
      if (options.hideThinking || text === '' || phase === 'content') return;
      if (phase === 'none') thinkingOutput.write('Thinking...\n', 'dim');
      phase = 'thinking';
      thinkingOutput.write(text, 'dim');
    },
    content(text: string): void {
      if (text === '') return;
      if (phase === 'thinking') endThinking();
      phase = 'content';
      answer.write(text);
    },
    /** Whether anything was printed. */
    get hasBegun() {
      return phase !== 'none';
    },
    /** Ends the last line. */
    end(): void {
      for (const output of new Set([thinkingOutput, answer])) output.end();
    },
  };
}

interface TextOutput {
  write(text: string, style?: 'dim'): void;
  atLineStart(): boolean;
  end(): void;
}

function plainOutput(screen: Screen): TextOutput {
  let last = '';
  return {
    write(text) {
      last = text.at(-1) ?? last;
      screen.write(text);
    },
    atLineStart: () => last === '\n' || last === '',
    end: () => void (last !== '' && last !== '\n' && screen.write('\n')),
  };
}

function terminalOutput(screen: Screen, wordWrap: boolean): TextOutput {
  const filter = createTerminalText();
  const wrap =
    wordWrap && screen.canRedraw ? createWordWrap(screen.width) : { push: (text: string) => text, flush: () => '' };
  let last = '\n';
  const put = (text: string, style?: 'dim'): void => {
    if (text === '') return;
    last = text.at(-1) ?? last;
    screen.write(style === undefined ? text : styled(screen, style, text));
  };
  return {
    write: (text, style) => put(wrap.push(filter.push(text)), style),
    atLineStart: () => last === '\n',
    end() {
      put(wrap.flush());
      const reset = filter.end();
      if (reset !== '') screen.write(reset);
      if (last !== '\n') screen.write('\n');
      last = '\n';
    },
  };
}
