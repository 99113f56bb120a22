import { expect, test } from 'vitest';
import { createVirtualScreen } from '../../../../test/support/terminal/virtual-screen.ts';
import type { Screen, Terminal } from '../../terminal.ts';
import { createAnswerPrinter } from './answer-printer.ts';

interface Pipe extends Screen {
  readonly written: () => string;
}

function createPipe(): Pipe {
  let written = '';
  return {
    isTerminal: false,
    canRedraw: false,
    hasColors: false,
    width: () => 80,
    height: () => 24,
    write: (text) => {
      written += text;
    },
    setCursor: () => {},
    onResize: () => () => {},
    written: () => written,
  };
}

const stdin = { isTerminal: false, stream: process.stdin, setRaw: () => {} };
const around = <Out extends Screen, Err extends Screen>(stdout: Out, stderr: Err) => {
  const terminal: Terminal = { stdout, stderr, stdin, restore: () => {} };
  return { stdout, stderr, terminal };
};
const usual = { wordWrap: true, hideThinking: false };

test('on a terminal: thoughts, then the answer, wrapped', () => {
  const { stdout, terminal } = around(createVirtualScreen({ columns: 20, rows: 20 }), createPipe());
  const printer = createAnswerPrinter(terminal, usual);
  for (const text of ['I should ', 'add these two numbers.']) printer.thinking(text);
  printer.content('Two and two make four.');
  printer.end();
  expect(stdout.text()).toBe(
    'Thinking...\nI should add these\ntwo numbers.\n...done thinking.\n\nTwo and two make\nfour.',
  );
  expect(stdout.cursor().column).toBe(0);
});

test('in a pipe: the answer byte for byte with a line end, thoughts on standard error', () => {
  const { stdout, stderr, terminal } = around(createPipe(), createPipe());
  const printer = createAnswerPrinter(terminal, usual);
  printer.thinking('hm');
  const answer = `${'word '.repeat(40)}\x1b[2J end`;
  printer.content(answer);
  printer.end();
  expect(stdout.written()).toBe(`${answer}\n`);
  expect(stderr.written()).toContain('Thinking...\nhm');
});

test('an answer that ends its own line gets no second end; no answer gets none', () => {
  for (const [answer, expected] of [
    ['a\n', 'a\n'],
    ['', ''],
  ] as const) {
    const { stdout, terminal } = around(createPipe(), createPipe());
    const printer = createAnswerPrinter(terminal, usual);
    printer.content(answer);
    printer.end();
    expect(stdout.written()).toBe(expected);
  }
});

test('thoughts can be hidden, and what a terminal would obey does not reach it', () => {
  const { stdout, terminal } = around(createVirtualScreen({ columns: 40, rows: 20 }), createPipe());
  const printer = createAnswerPrinter(terminal, { ...usual, hideThinking: true });
  printer.thinking('secret');
  printer.content('\x1b]0;title\x07\x1b[2J\x1b[31mred');
  printer.end();
  expect(stdout.text()).toBe(']0;title[2Jred');
});
