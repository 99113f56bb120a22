// Shows an answer while it comes: wrapped and cleaned on a terminal, byte for byte in a pipe. What a model thinks before
// it speaks is dimmed on a terminal; from a pipe it is kept out, since whoever reads that wants the answer.

import { type Screen, styled, type Terminal } from '../../terminal.ts';
import { createTerminalText } from './terminal-text.ts';
import { createWordWrap } from './word-wrap.ts';

export interface AnswerPrinter {
  thinking(text: string): void;
  content(text: string): void;
  /** Whether anything stands on the screen yet. */
  readonly hasBegun: boolean;
  /** Ends the last line. */
  end(): void;
}

export interface PrinterOptions {
  readonly wordWrap: boolean;
  readonly hideThinking: boolean;
}

export function createAnswerPrinter(terminal: Terminal, options: PrinterOptions): AnswerPrinter {
  const { stdout } = terminal;
  const answer = stdout.isTerminal ? shownText(stdout, options.wordWrap) : plainText(stdout);
  const thoughts = stdout.isTerminal ? answer : plainText(terminal.stderr);
  let phase: 'none' | 'thinking' | 'content' = 'none';

  return {
    thinking(text) {
      if (options.hideThinking || text === '' || phase === 'content') return;
      if (phase === 'none') thoughts.write('Thinking...\n', 'dim');
      phase = 'thinking';
      thoughts.write(text, 'dim');
    },
    content(text) {
      if (text === '') return;
      if (phase === 'thinking') thoughts.write(`${thoughts.atLineStart() ? '' : '\n'}...done thinking.\n\n`, 'dim');
      phase = 'content';
      answer.write(text);
    },
    get hasBegun() {
      return phase !== 'none';
    },
    end() {
      for (const text of new Set([thoughts, answer])) text.end();
    },
  };
}

interface TextOutput {
  write(text: string, style?: 'dim'): void;
  atLineStart(): boolean;
  end(): void;
}

function plainText(screen: Screen): TextOutput {
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

function shownText(screen: Screen, wordWrap: boolean): TextOutput {
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
